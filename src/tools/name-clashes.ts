import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** One line for each tool of ours that another extension has registered first: pi drops the later one without a word. */
export function findClashes(pi: Pick<ExtensionAPI, "getAllTools">, ours: ReadonlyMap<string, string>): string[] {
  return pi.getAllTools().flatMap((tool) => {
    const description = ours.get(tool.name);
    if (description === undefined || description === tool.description) return [];
    return [
      `pi-foreman: the tool "${tool.name}" of ${tool.sourceInfo.path} was registered before ours and is the one in use; ` +
        `remove one of the two extensions.`,
    ];
  });
}
