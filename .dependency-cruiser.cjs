// The import law: who may import whom. docs/architecture.md draws it, test/laws/importLaw.test.ts proves that it
// reads every file and that a broken rule fails. What lies between the lines of one file is eslint's business,
// what a folder may know of Node the compiler's.

const products = "agent|cli|extension|manager|webview";
/** What a process begins with; nothing imports these. */
const entries = [
  "^agent/main\\.ts$",
  "^agent/observe/processTableChild\\.ts$",
  "^cli/main\\.ts$",
  // Loaded by main.ts as a bundle of its own.
  "^cli/cli\\.ts$",
  "^extension/extension\\.ts$",
  "^webview/detail/main\\.tsx$",
];
/** What the CLI may use of the agent: to run it, to observe once and to write the registry without it. */
const agentForCli =
  "^agent/(agent|observer|hookReport|restorePlanner|observe/hostFacts|observe/sandboxes/adapters|record/(journal|registry(Store|Writer|History)))\\.ts$";

const rule = (name, comment, from, to) => ({ name, severity: "error", comment, from, to });
const core = (modules) => ({ path: `^(node:)?(${modules})(/|$)`, dependencyTypes: ["core"] });
/** One package, one home. */
const homeOf = (name, file) =>
  rule(
    `only-${file.split("/").at(-1)}-imports-${name}`,
    `${name} is wrapped once, in ${file}`,
    { path: `^(base|protocol|${products})/`, pathNot: `^${file}\\.ts$` },
    { path: `(^|node_modules/(@types/)?)${name}(/|$)` },
  );

module.exports = {
  forbidden: [
    rule(
      "base-knows-nobody",
      "base/ is under everything",
      { path: "^base/" },
      { path: `^(protocol|${products}|scripts|test)/` },
    ),
    rule(
      "protocol-knows-base",
      "protocol/ is what both sides of a socket share",
      { path: "^protocol/" },
      { path: `^(${products}|scripts|test)/` },
    ),
    rule(
      "products-do-not-meet",
      "products speak over sockets; only the CLI may run the agent's entry points",
      { path: `^(${products})/` },
      { path: `^(${products})/`, pathNot: ["^$1/", agentForCli] },
    ),
    rule(
      "only-the-cli-uses-the-agent",
      "the extension starts the agent as a process of its own",
      { path: `^(${products})/`, pathNot: "^(cli|agent)/" },
      { path: "^agent/" },
    ),
    rule(
      "pure-stays-pure",
      "core/, base/ and protocol/ outside node/ do not touch the machine",
      { path: ["^[^/]+/core/", "^base/[^/]+$", "^protocol/[^/]+$", "^protocol/files/"] },
      { dependencyTypes: ["core"] },
    ),
    rule(
      "core-knows-core",
      "core/ imports its own core, protocol/ and base/",
      { path: "^([^/]+)/core/" },
      { path: `^(${products})/`, pathNot: "^$1/core/" },
    ),
    rule(
      "core-not-to-node-folders",
      "base/node and protocol/node touch the machine",
      { path: ["^[^/]+/core/", "^base/[^/]+$", "^protocol/[^/]+$", "^protocol/files/", "^webview/"] },
      { path: "^(base|protocol)/node/" },
    ),
    rule(
      "observe-does-not-serve",
      "sources know nobody who asks",
      { path: "^agent/observe/" },
      { path: "^agent/(serve|record)/|^agent/[^/]+$" },
    ),
    rule(
      "record-is-told",
      "what is written down is handed over",
      { path: "^agent/record/" },
      { path: "^agent/(serve|observe)/|^agent/[^/]+$" },
    ),
    rule(
      "serve-does-not-observe",
      "handlers ask the observer, never a source",
      { path: "^agent/serve/" },
      { path: "^agent/(observe|record)/" },
    ),
    rule("nobody-imports-tests", "test/ is imported by nothing", { pathNot: "^test/" }, { path: "^test/" }),
    rule(
      "nobody-imports-scripts",
      "scripts/ serve the house, not the product",
      { path: `^(base|protocol|${products})/` },
      { path: "^scripts/" },
    ),
    rule("nobody-imports-an-entry", "entries only construct and wire", {}, { path: entries }),
    rule(
      "vscode-only-in-extension",
      "the rest runs without VS Code",
      { pathNot: "^(extension/(?!core/)|test/)" },
      { path: "^vscode$|node_modules/@types/vscode/" },
    ),
    rule(
      "processes-start-in-one-place",
      "deadline, bound and kill come with base/node/spawn.ts",
      { path: `^(base|protocol|${products})/`, pathNot: "^base/node/(spawn|launchDetached)\\.ts$" },
      core("child_process|cluster|worker_threads"),
    ),
    rule(
      "sockets-in-two-places",
      "clients in protocol/node, the server in agent/serve",
      { path: `^(base|protocol|${products})/`, pathNot: "^(protocol/node|agent/serve|manager/serve)/" },
      core("net"),
    ),
    rule(
      "no-other-network",
      "no TCP port, no request, no telemetry",
      { path: `^(base|protocol|${products})/` },
      core("https|http2|dgram|tls|dns|inspector"),
    ),
    rule(
      "http-over-unix-sockets-only",
      "deadline, bound and the path of a socket come with base/node/unixHttp.ts",
      { path: `^(base|protocol|${products})/`, pathNot: "^base/node/unixHttp\\.ts$" },
      core("http"),
    ),
    rule(
      "sqlite-in-the-store",
      "one owner of the database",
      { path: `^(base|protocol|${products})/`, pathNot: "^manager/store/" },
      core("sqlite"),
    ),
    rule(
      "pages-touch-no-machine",
      "a page runs in a browser: protocol/, base/ and the DOM are all it has",
      { path: "^webview/" },
      { dependencyTypes: ["core"] },
    ),
    rule(
      "preact-only-in-pages",
      "what draws pages is no part of anything else",
      { path: `^(base|protocol|${products})/`, pathNot: "^webview/" },
      { path: "(^|node_modules/)preact(/|$)" },
    ),
    homeOf("ps-list", "agent/observe/processTableChild"),
    homeOf("chokidar", "agent/observe/folderWatch"),
    homeOf("write-file-atomic", "base/node/atomicFile"),
    homeOf("get-east-asian-width", "cli/textWidth"),
    homeOf("vscode-jsonrpc", "protocol/node/rpcConnection"),
    rule("no-cycle", "two files that need each other are one idea or three", {}, { circular: true }),
    rule(
      "no-dead-file",
      "every file of the product is part of a process",
      { path: entries },
      { path: `^(base|protocol|${products})/`, pathNot: entries, reachable: false },
    ),
    rule(
      "no-unknown-module",
      "an import that cannot be found is an import that is not checked",
      {},
      { couldNotResolve: true, pathNot: "^vscode$" },
    ),
  ],
  options: {
    // Type-only imports are imports.
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: {
      path: [
        "^dist/",
        "^\\.tsbuild/",
        "^(?!.*node_modules/).*\\.d\\.ts$",
        "^test/fixtures/",
        "tsconfig\\.json$",
        "^test/vscode/trial/extension/",
      ],
    },
    builtInModules: { add: ["node:sqlite", "node:test"] },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".cjs", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
      mainFields: ["module", "main", "types"],
    },
  },
};
