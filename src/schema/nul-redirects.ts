/** A redirection to `nul` at this place: `>nul`, `2>> NUL`, `&>nul`, `>&nul`, `<nul`. */
const REDIRECTION = /(&?>>?\|?&?|<>?)([ \t]*)nul(?=[\s;&|()<>`]|$)/iy;

/** `<<EOF`, `<<-'EOF'`, `<< "EOF"`; not `<<<`. */
const HEREDOC = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z0-9_.!-]+))/y;

/** What the scan is inside of. In arithmetic `<<` shifts. */
interface Context {
  end: ")" | "`" | '"';
  isArithmetic: boolean;
}

/**
 * The script with redirections to `nul` pointed to `/dev/null`. In a Unix shell on Windows the first would make a file of a
 * name that Windows cannot delete. What stands in quotes, comments or here-documents is left as it is: another program reads
 * it. But `$(…)` and backticks in double quotes hold commands of this shell.
 */
export function repairNulRedirects(script: string): string {
  if (!/nul/i.test(script)) return script;
  let repaired = "";
  let at = 0;
  const take = (end: number): void => {
    repaired += script.slice(at, end);
    at = end;
  };
  const documents: { end: string; indented: boolean }[] = [];
  const contexts: Context[] = [];
  while (at < script.length) {
    const character = script[at] ?? "";
    const inside = contexts.at(-1);
    const paren = script.startsWith("$(", at) ? at + 1 : at;
    if (character === "\\") take(at + 2);
    else if (character === inside?.end) {
      contexts.pop();
      take(at + 1);
    } else if (character === '"' || character === "`") {
      contexts.push({ end: character, isArithmetic: false });
      take(at + 1);
    } else if (paren > at || (character === "(" && inside?.end !== '"')) {
      const isArithmetic = script.startsWith("((", paren) || (paren === at && inside?.isArithmetic === true);
      contexts.push({ end: ")", isArithmetic });
      take(paren + 1);
    } else if (inside?.end === '"') take(at + 1);
    else if (character === "\n") take(endOfDocuments(script, at + 1, documents.splice(0)));
    else if (character === "'") take(endOfQuotes(script, at));
    else if (character === "#" && /^$|[\s;&|()]/.test(script[at - 1] ?? "")) take(endOfLine(script, at));
    else if (script.startsWith("<<<", at)) take(at + 3);
    else {
      const document = inside?.isArithmetic === true ? undefined : matchAt(HEREDOC, script, at);
      const redirection = document === undefined ? matchAt(REDIRECTION, script, at) : undefined;
      if (document !== undefined) {
        documents.push({ end: document[2] ?? document[3] ?? document[4] ?? "", indented: document[1] === "-" });
        take(at + document[0].length);
      } else if (redirection === undefined) take(at + 1);
      else {
        // `>&nul` sends both streams into a file; `>&/dev/null` does the same with none.
        repaired += `${redirection[1] ?? ""}${redirection[2] ?? ""}/dev/null`;
        at += redirection[0].length;
      }
    }
  }
  return repaired;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function endOfQuotes(script: string, start: number): number {
  const end = script.indexOf("'", start + 1);
  return end < 0 ? script.length : end + 1;
}

function endOfLine(script: string, start: number): number {
  const end = script.indexOf("\n", start);
  return end < 0 ? script.length : end;
}

/** Behind the here-documents that start on this line; an unfinished one takes all that is left. */
function endOfDocuments(
  script: string,
  start: number,
  documents: readonly { end: string; indented: boolean }[],
): number {
  let at = start;
  for (const { end, indented } of documents) {
    let isOver = false;
    while (!isOver && at < script.length) {
      const line = script.slice(at, endOfLine(script, at));
      at = Math.min(endOfLine(script, at) + 1, script.length);
      isOver = (indented ? line.replace(/^\t+/, "") : line) === end;
    }
  }
  return at;
}
