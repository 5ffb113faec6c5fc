// Preloaded into a program under test: what Node got after version 20.0 is not there, as on the oldest Node that the
// manifest allows.
"use strict";
const lacking = [
  [require("node:module"), ["enableCompileCache", "flushCompileCache", "getCompileCacheDir", "findPackageJSON"]],
  [require("node:fs"), ["glob", "globSync", "openAsBlob"]],
  [require("node:fs/promises"), ["glob"]],
  [require("node:util"), ["styleText", "getCallSites"]],
  [process, ["getBuiltinModule", "loadEnvFile", "availableMemory", "constrainedMemory", "ref", "unref"]],
  [Promise, ["withResolvers", "try"]],
  [Array, ["fromAsync"]],
  [Object, ["groupBy"]],
  [Map, ["groupBy"]],
  [require("node:url").URL, ["parse"]],
  [RegExp, ["escape"]],
  [Set.prototype, ["union", "intersection", "difference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"]],
  [Object.getPrototypeOf(Object.getPrototypeOf([].values())), ["map", "filter", "take", "drop", "toArray", "some"]],
];
for (const [owner, names] of lacking) for (const name of names) delete owner[name];
