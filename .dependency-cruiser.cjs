/** Who may know whom (docs/design/architecture.md). */
const only = (name, from, to) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: "^src/", pathNot: to },
});

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "addon-has-one-importer",
      severity: "error",
      from: { pathNot: "^src/native\\.ts$" },
      to: { path: "^native/" },
    },
    {
      name: "pi-stays-at-the-edge",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(extensions|tools|ui|agents)/" },
      to: { path: "@earendil-works", dependencyTypesNot: ["type-only"] },
    },
    only("format-is-pure", "^src/format/", "^src/format/"),
    only("schema-is-pure", "^src/schema/", "^src/schema/"),
    only("native-knows-nobody", "^src/native", "^src/native"),
    only("runs-know-native", "^src/runs/", "^src/(runs|native|config|format|schema)"),
    only("processes-know-nobody", "^src/processes/", "^src/processes/"),
    only("tasks-know-themselves", "^src/tasks/", "^src/(tasks|processes|config|format|schema)"),
    only("agents-know-runs", "^src/agents/", "^src/(agents|runs|native|config|format|schema)"),
    only(
      "unified-knows-runs-and-agents",
      "^src/unified/",
      "^src/(unified|agents|runs|native|processes|config|format|schema)",
    ),
    only(
      "tools-know-no-extension",
      "^src/tools/",
      "^src/(tools|runs|unified|tasks|agents|native|config|format|schema|ui)",
    ),
    only("ui-knows-no-tool", "^src/ui/", "^src/(ui|runs|tasks|agents|native|config|format|schema)"),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
  },
};
