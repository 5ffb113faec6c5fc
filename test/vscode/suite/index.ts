// What the extension host loads as the tests: runs every bundled *.test.cjs beside it with Mocha, writes
// the counts to ROLLCALL_TEST_REPORT and fails when a test failed or when none ran. In CI a skipped test
// fails the run too.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import Mocha from "mocha";
import { connectPage } from "../page/pageClient.ts";

export interface SuiteReport {
  readonly passes: number;
  readonly failures: number;
  readonly skipped: number;
}

export async function run(): Promise<void> {
  const grep = process.env["ROLLCALL_TEST_GREP"];
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000, color: false, reporter: "spec", ...(grep ? { grep } : {}) });
  // Bundled as CommonJS, so this folder has a name.
  const tests = readdirSync(__dirname).filter((name) => name.endsWith(".test.cjs"));
  for (const name of tests.sort()) mocha.addFile(join(__dirname, name));
  const report = await withPrintedReport(() => runAll(mocha));
  const reportFile = process.env["ROLLCALL_TEST_REPORT"];
  if (reportFile) writeFileSync(reportFile, JSON.stringify(report));
  if (report.failures > 0) throw new Error(`${report.failures} of the tests in VS Code failed`);
  if (report.passes === 0) throw new Error("no test ran in VS Code");
  if (process.env["CI"] === "true" && report.skipped > 0) throw new Error(`${report.skipped} tests were skipped`);
}

/** Mocha's report goes to whoever started the run, in order and whole before the host may end. */
async function withPrintedReport<T>(work: () => Promise<T>): Promise<T> {
  const page = connectPage();
  let printed = Promise.resolve();
  const print = (...args: unknown[]): void => {
    const line = format(...args);
    printed = printed.then(() => page.log(line)).catch(() => undefined);
  };
  // Mocha's documented place for a reporter's output; the types leave it out.
  Object.assign(Mocha.reporters.Base, { consoleLog: print });
  try {
    return await work();
  } catch (cause) {
    print(cause);
    throw cause;
  } finally {
    await printed;
  }
}

function runAll(mocha: Mocha): Promise<SuiteReport> {
  return new Promise((done) => {
    // A file that does not load throws here, and so rejects.
    const runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      done({ passes, failures, skipped: pending });
    });
  });
}
