// The arguments of this pi, read as pi itself reads them (its `parseArgs`, pi 1.6; a test compares the two).

/** An option of pi under its long name. */
export interface GivenOption {
  name: string;
  value: string | undefined;
}

export interface ParentOptions {
  /** In the order in which they were given. */
  options: GivenOption[];
  /** What pi does not know belongs to an extension; true: no value followed. */
  extensionFlags: Map<string, string | true>;
}

const LONG_NAME: ReadonlyMap<string, string> = new Map([
  ["-a", "--approve"],
  ["-c", "--continue"],
  ["-e", "--extension"],
  ["-h", "--help"],
  ["-n", "--name"],
  ["-na", "--no-approve"],
  ["-nbt", "--no-builtin-tools"],
  ["-nc", "--no-context-files"],
  ["-ne", "--no-extensions"],
  ["-np", "--no-prompt-templates"],
  ["-ns", "--no-skills"],
  ["-nt", "--no-tools"],
  ["-p", "--print"],
  ["-r", "--resume"],
  ["-t", "--tools"],
  ["-v", "--version"],
  ["-xt", "--exclude-tools"],
]);

/** The argument after one of these is its value, whatever it looks like. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "--api-key",
  "--append-system-prompt",
  "--exclude-tools",
  "--export",
  "--extension",
  "--fork",
  "--mode",
  "--model",
  "--models",
  "--name",
  "--prompt-template",
  "--provider",
  "--session",
  "--session-dir",
  "--session-id",
  "--skill",
  "--system-prompt",
  "--theme",
  "--thinking",
  "--tools",
  "--tui-mode",
  "--use-theme",
]);

const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  "--approve",
  "--continue",
  "--help",
  "--list-models",
  "--no-approve",
  "--no-builtin-tools",
  "--no-context-files",
  "--no-extensions",
  "--no-mcp",
  "--no-prompt-templates",
  "--no-session",
  "--no-skills",
  "--no-themes",
  "--no-tools",
  "--offline",
  "--print",
  "--resume",
  "--verbose",
  "--version",
]);

/** Of arguments that pi has accepted; with others it would not have come up. */
export function readParentOptions(argv: readonly string[]): ParentOptions {
  const options: GivenOption[] = [];
  const extensionFlags = new Map<string, string | true>();
  for (let at = 0; at < argv.length && argv[at] !== "--"; at++) {
    const argument = argv[at] ?? "";
    const name = LONG_NAME.get(argument) ?? argument;
    const next = argv[at + 1];
    if (WITH_VALUE.has(name)) {
      options.push({ name, value: next });
      at++;
    } else if (WITHOUT_VALUE.has(name)) {
      options.push({ name, value: undefined });
      // pi takes this for the message.
      if (name === "--print" && next?.startsWith("---") === true) at++;
    } else if (name.startsWith("--")) {
      const [flag = "", ...parts] = name.slice(2).split("=");
      const takesNext = parts.length === 0 && next !== undefined && !/^[-@]/.test(next);
      if (takesNext) at++;
      extensionFlags.set(flag, takesNext ? next : parts.length === 0 || parts.join("="));
    }
  }
  return { options, extensionFlags };
}

/** pi goes by the last one. */
export function lastValue({ options }: ParentOptions, name: string): string | undefined {
  return options.findLast((option) => option.name === name)?.value;
}

export function isGiven({ options }: ParentOptions, name: string): boolean {
  return options.some((option) => option.name === name);
}
