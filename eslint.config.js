// What the linter holds the JavaScript to; the types are TypeScript's to check, by tsconfig.json.
import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["docs/", "build/", ".venv/", "node_modules/", ".studies/"] },
  js.configs.recommended,
  {
    files: ["testimate/**/*.js"],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["tests/**/*.js", "benchmarks/**/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    rules: {
      "eqeqeq": ["error", "always"],
      "max-len": ["error", { code: 128, ignoreRegExpLiterals: true, ignoreStrings: true }],
      "no-control-regex": "off", // letters of ASCII are told by their range
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-implicit-globals": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
