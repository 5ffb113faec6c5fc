// How the code is written. The strict presets of typescript-eslint, and the house's own laws that neither the
// compiler nor the import law can see: no hidden clock or chance in pure code, no failure turned into an empty
// value, one place for each kind of contribution. What each law is for stands in docs/style.md.
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

const core = ["{agent,extension,manager}/core/**/*.ts"];
const pure = [...core, "base/*.ts", "protocol/*.ts", "protocol/files/**/*.ts"];
const observing = [...core, "agent/observe/**/*.ts"];
const extension = ["extension/**/*.ts"];

/** A value that says "nothing there", which a failure never says. */
const empty = [
  "ArrayExpression[elements.length=0]",
  "ObjectExpression[properties.length=0]",
  "Literal[raw='null']",
  "Literal[value='']",
  "TemplateLiteral[expressions.length=0][quasis.0.value.raw='']",
  "Identifier[name='undefined']",
  "UnaryExpression[operator='void']",
  "NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/][arguments.length=0]",
];
/** Where a value leaves: as it is, under a type assertion, or as one branch of a condition. */
const wrappings = [
  "",
  "TSAsExpression > ",
  "TSSatisfiesExpression > ",
  "ConditionalExpression > ",
  "LogicalExpression > ",
];
const failureIsNotEmpty = "a failure is unknown, never empty: say what could not be observed";

const everywhere = [
  { selector: "TSEnumDeclaration", message: "a union of literals instead of an enum" },
  { selector: "ExportDefaultDeclaration", message: "named exports, so that a thing has one name" },
];
const noHiddenInputs = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "the clock is passed in" },
  { selector: "CallExpression[callee.name='Date']", message: "the clock is passed in" },
];
const noFailureAsEmpty = [
  { selector: "CatchClause > BlockStatement[body.length=0]", message: failureIsNotEmpty },
  { selector: "CatchClause ReturnStatement[argument=null]", message: failureIsNotEmpty },
  ...wrappings.flatMap((wrapping) =>
    empty.flatMap((value) => [
      { selector: `CatchClause ReturnStatement > ${wrapping}${value}`, message: failureIsNotEmpty },
      { selector: `CatchClause AssignmentExpression > ${wrapping}${value}.right`, message: failureIsNotEmpty },
      {
        selector: `CallExpression[callee.property.name='catch'] > ArrowFunctionExpression > ${wrapping}${value}`,
        message: failureIsNotEmpty,
      },
      {
        selector: `CallExpression[callee.property.name='catch'] > :function ReturnStatement > ${wrapping}${value}`,
        message: failureIsNotEmpty,
      },
    ]),
  ),
  {
    selector: "CallExpression[callee.property.name='catch'] > :function > BlockStatement[body.length=0]",
    message: failureIsNotEmpty,
  },
];
const onePlaceForContributions = [
  {
    selector: "CallExpression[callee.property.name=/^(registerCommand|registerTextEditorCommand)$/]",
    message: "commands are registered in extension/contributions/commands.ts",
  },
  {
    selector: "CallExpression[callee.property.name='createStatusBarItem']",
    message: "status bar items are made in extension/contributions/statusItems.ts",
  },
  {
    selector: "CallExpression[callee.property.name='executeCommand'][arguments.0.value='setContext']",
    message: "context keys are set in extension/contributions/contextKeys.ts",
  },
  {
    selector: "CallExpression[callee.property.name=/^(createWebviewPanel|registerWebviewPanelSerializer)$/]",
    message: "webview panels are made in extension/contributions/webviewPanels.ts",
  },
];

const pagesAreStrict = [
  {
    selector: "JSXAttribute[name.name=/^(style|dangerouslySetInnerHTML)$/]",
    message: "a page's policy allows neither inline styles nor markup made of text",
  },
  {
    selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]",
    message: "a page's policy allows neither inline styles nor markup made of text",
  },
  {
    selector:
      "CallExpression[callee.name=/^(fetch|eval)$/], NewExpression[callee.name=/^(WebSocket|XMLHttpRequest|Function)$/]",
    message: "a page has no network and evaluates no text",
  },
];

const timers = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"];
const machine = ["process", "Buffer", "performance", "crypto", "fetch", "console", "globalThis"];

/** `no-restricted-syntax` replaces, it does not add up: each group of files gets its whole list. */
function restricted(...lists) {
  return { "no-restricted-syntax": ["error", ...everywhere, ...lists.flat()] };
}

export default tseslint.config(
  { ignores: ["dist/", ".tsbuild/", "**/*.d.ts", "test/vscode/trial/extension/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  eslint.configs.recommended,
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Types from the compiler: it knows every global of each folder.
      "no-undef": "off",
      // Numbers read well in a sentence.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `() => thing.dispose()` is the shortest way to say it.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // `for (;;)` and `while (true)` with a way out are loops that wait.
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // Whether something is known is asked by name, not folded into a comparison of its parts.
      "@typescript-eslint/prefer-optional-chain": "off",
      // `[...text]` counts code points, which is what a width wants.
      "@typescript-eslint/no-misused-spread": ["error", { allow: ["string"] }],
      // An environment variable that is empty counts as not set.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }],
      // Its `!` is forbidden by another rule of the same preset.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // Leaving fields out of a copy names them.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // A variable that a callback reads before it is set cannot be one.
      "prefer-const": ["error", { ignoreReadBeforeAssign: true }],
      eqeqeq: "error",
      ...restricted(),
    },
  },
  {
    files: pure,
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "the clock is passed in" },
        { object: "Math", property: "random", message: "chance is passed in" },
      ],
      "no-restricted-globals": [
        "error",
        ...timers.map((name) => ({ name, message: "a Scheduler is passed in" })),
        ...machine.map((name) => ({ name, message: "pure code does not touch the machine" })),
      ],
      ...restricted(noHiddenInputs),
    },
  },
  {
    files: observing,
    rules: {
      "no-restricted-imports": [
        "error",
        {
          paths: ["node:fs", "fs"].map((name) => ({
            name,
            importNames: ["existsSync"],
            message: "it says false for a folder that does not answer",
          })),
        },
      ],
      ...restricted(noFailureAsEmpty),
    },
  },
  { files: core, rules: restricted(noHiddenInputs, noFailureAsEmpty) },
  {
    files: extension,
    ignores: ["extension/core/**", "extension/contributions/**"],
    rules: restricted(onePlaceForContributions),
  },
  {
    files: ["webview/**/*.ts", "webview/**/*.tsx"],
    rules: restricted(pagesAreStrict),
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // A stand-in is async because what it stands in for is.
      "@typescript-eslint/require-await": "off",
      // node:test waits for its own promises.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["test", "describe", "it", "suite"] },
          ],
        },
      ],
    },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    languageOptions: { globals: { process: "readonly", module: "writable", require: "readonly", console: "readonly" } },
  },
);
