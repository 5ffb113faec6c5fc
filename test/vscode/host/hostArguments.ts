// The command line of a desktop VS Code, as far as a test run uses it: extensions under development, the
// tests' entry, a workspace folder and the two state folders. Flags that mean nothing to a web page
// (--no-sandbox and its like) are accepted and dropped.

export interface HostArguments {
  readonly extensionFolders: readonly string[];
  readonly testsEntry: string;
  readonly folder: string | undefined;
  readonly userDataDir: string | undefined;
  readonly extensionsDir: string | undefined;
}

export function readHostArguments(args: readonly string[]): HostArguments {
  const values = new Map<string, string[]>();
  const positional: string[] = [];
  for (const arg of args) {
    const flag = /^--([^=]+)=(.*)$/s.exec(arg);
    if (flag) values.set(flag[1] ?? "", [...(values.get(flag[1] ?? "") ?? []), flag[2] ?? ""]);
    else if (!arg.startsWith("-")) positional.push(arg);
  }
  const extensionFolders = values.get("extensionDevelopmentPath") ?? [];
  const testsEntry = values.get("extensionTestsPath")?.at(-1);
  if (extensionFolders.length === 0 || !testsEntry) {
    throw new Error("usage: webHost --extensionDevelopmentPath=<folder> --extensionTestsPath=<file> [folder]");
  }
  return {
    extensionFolders,
    testsEntry,
    folder: positional[0],
    userDataDir: values.get("user-data-dir")?.at(-1),
    extensionsDir: values.get("extensions-dir")?.at(-1),
  };
}
