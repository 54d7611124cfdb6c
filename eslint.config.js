import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist", "native", "target", "npm", "node_modules", "**/*.mjs", "*.cjs"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.js"] } } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // Numbers and booleans in text for the model are meant.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "ExportDefaultDeclaration",
          message: "Export by name; only pi entry points have a default export.",
        },
      ],
      "no-console": "error",
    },
  },
  { files: ["src/extensions/*.ts", "*.config.*", "*.js"], rules: { "no-restricted-syntax": "off" } },
);
