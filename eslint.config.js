// What the linter holds the scripts to; the types are TypeScript's to check, by tsconfig.json.
import js from "@eslint/js";
import globals from "globals";
import typescript from "typescript-eslint";

export default [
  { ignores: ["testimate/ui/components/bundle/", "docs/", "build/", ".venv/", "node_modules/", ".studies/", ".equal/"] },
  js.configs.recommended,
  {
    files: ["bundle.js", "tests/**/*.js", "testimate/**/*.test.js", "benchmarks/**/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    files: ["**/*.js", "testimate/**/*.ts"],
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
  ...typescript.configs.recommended.map((config) => ({ ...config, files: ["testimate/**/*.ts"] })),
  {
    files: ["testimate/**/*.ts"],
    languageOptions: { globals: globals.browser },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      "@typescript-eslint/no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_" }],
      "no-undef": "off", // TypeScript knows what a browser has
      "no-unused-vars": "off",
    },
  },
];
