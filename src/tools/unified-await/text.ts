export const AWAIT_DESCRIPTION = [
  "Waits for tasks and returns a row for each: until each has new output or is completed, min_completed of them are, or timeout_secs are over.",
  "",
  "- A running command's row has the complete lines printed since your last await of it (stdout and stderr in order). Long output is cut in the middle; outputPath holds all of it.",
  "- A completed row has reportMarkdown and how it ended (outcome: exited, killed, failed, timed_out; exitCode). Awaiting it again gives the same row without output.",
  "- filter is a regular expression asked of each line; look-around and back-references are not supported.",
  "- A message of the user ends the wait early.",
].join("\n");

export const AWAIT_SNIPPET = "Wait for tasks: new output of commands, reports of agents";
