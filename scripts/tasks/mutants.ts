// Guards for the tests: each mutant under test/mutants breaks one rule of the product in one place, and the tests
// that it names must fail then, and pass without it. `npm run mutants [name…]`; exits 1 when a mutant survives,
// its text is not found exactly once, or a test that it names does not exist.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { z } from "zod";

const root = dirname(dirname(import.meta.dirname));
const mutantsFolder = join(root, "test", "mutants");
const copied = [
  "package.json",
  ...["agent", "base", "cli", "extension", "protocol", "scripts/demo"],
  ...["test/unit", "test/support", "test/fixtures"],
];

const mutantSchema = z.strictObject({
  /** The source that is changed, from the root. */
  file: z.string(),
  find: z.string().min(1),
  replace: z.string(),
  test: z.string(),
  names: z.array(z.string().min(1)).min(1),
});
type Mutant = z.output<typeof mutantSchema> & { readonly name: string };
type Outcome = "passed" | "failed" | "missing";

async function readMutants(only: readonly string[]): Promise<readonly Mutant[]> {
  const entries = await readdir(mutantsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no mutant ${unknown}`);
  return Promise.all(
    names
      .filter((name) => only.length === 0 || only.includes(name))
      .sort()
      .map(async (name) => {
        const text = await readFile(join(mutantsFolder, name, "mutant.json"), "utf8");
        return { name, ...mutantSchema.parse(JSON.parse(text)) };
      }),
  );
}

/** A copy of what the tests need, so that the work tree is never touched. */
async function makeCopy(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-mutants-"));
  for (const path of copied) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}

/** What became of each test that ran; tests of other names in the file are not run. */
async function runTests(folder: string, test: string, names: readonly string[]): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>(names.map((name) => [name, "missing"]));
  const events = run({
    files: [join(folder, test)],
    cwd: folder,
    testNamePatterns: names.map((name) => new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))),
    timeout: 60_000,
  });
  events.on("test:pass", ({ name, skip, details }) => {
    if (details.type !== "suite" && skip === undefined) outcomes.set(name, "passed");
  });
  events.on("test:fail", ({ name, details }) => {
    if (details.type !== "suite") outcomes.set(name, "failed");
  });
  events.resume();
  await finished(events);
  return outcomes;
}

/** How the tests fare without any mutant; each file is run once. */
async function runSound(folder: string, mutants: readonly Mutant[]): Promise<ReadonlyMap<string, Outcome>> {
  const sound = new Map<string, Outcome>();
  for (const test of new Set(mutants.map((mutant) => mutant.test))) {
    const names = mutants.flatMap((mutant) => (mutant.test === test ? mutant.names : []));
    for (const [name, outcome] of await runTests(folder, test, names)) sound.set(testId(test, name), outcome);
  }
  return sound;
}

function testId(test: string, name: string): string {
  return `${test} ${name}`;
}

/** Undefined where the mutant is killed as it has to be, else what is wrong. */
async function faultOf(
  folder: string,
  mutant: Mutant,
  sound: ReadonlyMap<string, Outcome>,
): Promise<string | undefined> {
  const { test, names } = mutant;
  for (const name of names) {
    const outcome = sound.get(testId(test, name));
    if (outcome === "failed") return `"${name}" fails without it`;
    if (outcome !== "passed") return `${test} has no test named "${name}"`;
  }
  const path = join(folder, mutant.file);
  const source = await readFile(path, "utf8");
  const found = source.split(mutant.find).length - 1;
  if (found !== 1) return `its text stands ${found} times in ${mutant.file}, not once`;
  await writeFile(
    path,
    source.replace(mutant.find, () => mutant.replace),
  );
  try {
    return judge(await runTests(folder, test, names), names);
  } finally {
    await writeFile(path, source);
  }
}

function judge(outcomes: ReadonlyMap<string, Outcome>, names: readonly string[]): string | undefined {
  for (const [name, outcome] of outcomes) {
    const named = names.includes(name);
    if (!named && outcome === "failed") return `"${name}" fails too`;
    if (named && outcome === "missing") return `"${name}" does not run: the mutant is broken, not wrong`;
    if (named && outcome === "passed") return `survives "${name}"`;
  }
  return undefined;
}

async function main(): Promise<number> {
  const mutants = await readMutants(process.argv.slice(2));
  const width = Math.max(...mutants.map(({ name }) => name.length));
  const folder = await makeCopy();
  let failed = 0;
  try {
    const sound = await runSound(folder, mutants);
    for (const mutant of mutants) {
      const fault = await faultOf(folder, mutant, sound);
      if (fault !== undefined) failed += 1;
      process.stdout.write(`${mutant.name.padEnd(width)}  ${fault ?? `killed by ${mutant.test}`}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${mutants.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
