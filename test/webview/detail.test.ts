// The detail page as a person has it: built as it ships, in a Chromium, under its own policy, by keyboard and as a
// screen reader is told of it.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../scripts/workbench/browser.ts";
import type { SessionDetail, TimelineItem } from "../../protocol/sessionDetail.ts";
import { diffDetails } from "../../protocol/sessionDetailChange.ts";
import type { AgentLink } from "../../protocol/webviewApi.ts";
import { at, now, session } from "../unit/extension/core/rosters.ts";
import { DetailPage, type DetailPageOptions } from "./detailPage.ts";
import { sampleDetail, tool } from "./sampleDetail.ts";

const live: AgentLink = { state: "live", heardAt: now };

describe("the detail page", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  async function withPage(work: (page: DetailPage) => Promise<void>, options: DetailPageOptions = {}): Promise<void> {
    const page = await DetailPage.open(browser, options);
    try {
      await work(page);
      assert.deepEqual(await page.violations(), []);
      assert.deepEqual(page.strangers, []);
    } finally {
      await page.close();
    }
  }

  async function changes(page: DetailPage, before: SessionDetail, after: SessionDetail): Promise<void> {
    const change = diffDetails(before, after);
    assert.ok(change !== undefined);
    await page.says({ kind: "change", now, link: live, change });
  }

  /** The same detail, with its running turn changed. */
  function withTurn(
    detail: SessionDetail,
    change: (turn: Extract<TimelineItem, { kind: "turn" }>) => TimelineItem,
  ): SessionDetail {
    const { timeline } = detail;
    assert.ok(timeline.state === "read");
    const items = timeline.items.map((item) => (item.kind === "turn" && item.end === "running" ? change(item) : item));
    return { ...detail, timeline: { ...timeline, items } };
  }

  it("loads its own two files, runs under its policy, and says that it is ready", () =>
    withPage(async (page) => {
      assert.deepEqual(await page.heard(), [{ kind: "ready" }]);
      await page.shows(sampleDetail());
      // What the policy is there for: neither an inline style nor evaluated text gets through.
      await page.page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.evil = true";
        document.body.append(script);
      });
      assert.equal(await page.page.evaluate(() => "evil" in globalThis), false);
      assert.match((await page.violations()).join(), /script-src/);
      await page.page.evaluate(() => ((globalThis as unknown as { violations: string[] }).violations = []));
    }));

  it("is named for a screen reader: a heading, regions, a tree of turns, lists", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const snapshot = await page.page.locator("body").ariaSnapshot();
      for (const part of [
        'heading "Migrate the billing tables" [level=1]',
        'region "Timeline newest first"',
        'tree "Timeline newest first"',
        'region "Status changes newest first"',
        'region "Evidence"',
        'region "Subagents and background"',
        'region "Registry record"',
        'button "Go to Terminal"',
      ])
        assert.ok(snapshot.includes(part), `${part} in\n${snapshot}`);
      assert.match(snapshot, /treeitem ".*psql -f.*open 42 s.*" \[level=2\]/);
      assert.match(snapshot, /treeitem ".*Start the database.*interrupted.*" \[level=1\]/);
    }));

  it("shows below a call what its subagents did, each named, and the keys reach it", () =>
    withPage(async (page) => {
      const made = {
        id: "s1",
        agentId: "a7f3",
        tool: "Grep",
        about: "invoice",
        since: at(9_000),
        state: "open",
      } as const;
      const subagents = { tools: [made], toolsDropped: 2 };
      await page.shows(
        withTurn(sampleDetail(), (turn) => ({ ...turn, entries: [tool("t9", { tool: "Agent", subagents })] })),
      );
      const snapshot = await page.page.locator("body").ariaSnapshot();
      assert.match(snapshot, /treeitem ".*Grep.*invoice.*subagent a7f3.*open.*" \[level=3\]/);
      assert.match(await page.page.locator("main").innerText(), /2 earlier tools of its subagents are not shown/);
      await page.page.locator('[role="treeitem"][tabindex="0"]').focus();
      await page.page.keyboard.press("ArrowDown");
      await page.page.keyboard.press("ArrowDown");
      assert.match((await page.page.locator(":focus").getAttribute("data-row")) ?? "", /a7f3\/s1$/);
    }));

  it("says why, by which rule, and how old each source's word is", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const text = await page.page.locator("main").innerText();
      assert.match(text, /needs you: permission/);
      assert.match(text, /Rule record-waits-for-permission: its record says that it waits for a permission/);
      const evidence = await page.page.getByRole("region", { name: "Evidence" }).innerText();
      assert.match(evidence, /transcripts:\/home\/u\/\.claude\s+stale, 9 min ago/);
      assert.match(evidence, /Sources that do not answer/);
      const title = await page.page.locator("#status-changes time").first().getAttribute("title");
      assert.match(title ?? "", /Sunday.*2026.*11:59:20/);
    }));

  it("names what is unknown or not there, and leaves nothing blank", () =>
    withPage(async (page) => {
      const { history: _history, ...unasked } = sampleDetail({
        session: session("bare", { cwd: null, startCwd: null, sources: undefined } as never),
        timeline: { state: "unreadable", at: at(60_000), cause: "EACCES" },
        sources: [],
      });
      const { sources: _sources, ...bare } = unasked.session as typeof unasked.session & { sources?: unknown };
      await page.shows({ ...unasked, session: bare });
      const text = await page.page.locator("main").innerText();
      for (const named of [
        /Folder\s+not told by any source/,
        /Unknown: the transcript could not be read, 1 min ago: EACCES/,
        /Unknown: the agent, which keeps them/,
        /No source has said anything/,
        /None runs/,
        /holds no record/,
        /its reason was not recorded/,
      ])
        assert.match(text, named);
    }));

  for (const [what, message, says] of [
    ["while nothing was told", { kind: "nothing", now, link: { state: "connecting" } }, /Connecting to the agent/],
    [
      "when the agent refuses",
      { kind: "nothing", now, link: live, refused: "the agent knows no session x" },
      /Nothing is known of this session: the agent knows no session x/,
    ],
  ] as const) {
    it(`says so ${what}`, () =>
      withPage(async (page) => {
        await page.says(message);
        assert.match(await page.page.locator("main").innerText(), says);
      }));
  }

  it("keeps what was shown when the agent is gone, marked, with what to do", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const gone: AgentLink = { state: "gone", since: now - 60_000, heardAt: now - 120_000, cause: "it closed" };
      await page.says({ kind: "link", now, link: gone });
      const banner = page.page.getByRole("complementary");
      assert.match(await banner.innerText(), /Stale.*The agent is gone: it closed.*as heard 2 min ago.*by itself/s);
      assert.match(await page.page.locator("main").innerText(), /psql -f/);
      await banner.getByRole("button", { name: "Try Again Now" }).click();
      assert.deepEqual((await page.heard()).at(-1), { kind: "command", name: "refresh" });
    }));

  it("keeps a session that left the roster", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail({ leftAt: at(3 * 60_000) }));
      assert.match(await page.page.getByRole("complementary").innerText(), /No longer in the roster, seen 3 min ago/);
      assert.match(await page.page.locator("main").innerText(), /psql -f/);
    }));

  it("goes through the timeline by keyboard alone", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const { keyboard } = page.page;
      const focused = (): Promise<string> =>
        page.page.evaluate(() => {
          const { activeElement } = document;
          return activeElement === document.body ? "" : (activeElement as HTMLElement).innerText;
        });
      const tree = page.page.getByRole("tree");
      const rows = tree.getByRole("treeitem");
      for (let tabs = 0; tabs < 20 && !(await focused()).startsWith("Migrate"); tabs += 1) await keyboard.press("Tab");
      assert.match(await focused(), /^Migrate the billing tables/);
      const all = await rows.count();
      await keyboard.press("ArrowRight");
      assert.match(await focused(), /^Bash/);
      await keyboard.press("ArrowLeft");
      assert.match(await focused(), /^Migrate/);
      await keyboard.press("ArrowLeft");
      assert.equal(await rows.count(), all - 6);
      await keyboard.press("Enter");
      assert.equal(await rows.count(), all);
      await keyboard.press("Space");
      assert.equal(await rows.count(), all - 6);
      await keyboard.press("ArrowDown");
      assert.match(await focused(), /^Background command/);
      await keyboard.press("End");
      assert.match(await focused(), /^Look at the billing service/);
      assert.equal(await page.page.locator("[data-row]:focus").getAttribute("aria-expanded"), "false");
      await keyboard.press("ArrowRight");
      assert.equal(await page.page.locator("[data-row]:focus").getAttribute("aria-expanded"), "true");
      // One stop for Tab: the row that has the focus.
      assert.equal(await tree.locator('[tabindex="0"]').count(), 1);
      await keyboard.press("Tab");
      assert.equal(await focused(), "Open Transcript");
      await keyboard.press("Shift+Tab");
      assert.match(await focused(), /^Look at the billing service/);
    }));

  it("keeps the focus on its row while turns and tools come and end", () =>
    withPage(async (page) => {
      const first = sampleDetail();
      await page.shows(first);
      const row = page.page.getByRole("treeitem", { name: /psql -f/ });
      await row.focus();
      await row.evaluate((element) => (element.dataset["marked"] = "yes"));
      const more = withTurn(first, (turn) => ({
        ...turn,
        entries: [
          ...turn.entries.map((entry) =>
            entry.id === "t5" && entry.kind === "tool" ? { ...entry, state: "done" as const, endedAt: at(0) } : entry,
          ),
          tool("t6", { about: "make the next", since: at(0) }),
        ],
      }));
      await changes(page, first, more);
      const focus = page.page.locator("[data-row]:focus");
      assert.match(await focus.innerText(), /psql -f.*\s+done/s);
      assert.equal(await focus.getAttribute("data-marked"), "yes", "the same element");
      // A row that leaves hands the focus to the tree.
      await changes(
        page,
        more,
        withTurn(more, (turn) => ({ ...turn, entries: turn.entries.filter(({ id }) => id !== "t5") })),
      );
      assert.equal(await page.page.evaluate(() => document.activeElement?.getAttribute("role")), "treeitem");
    }));

  it("lets open durations grow in place, by one timer, and ended ones stand", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const open = page.page.getByRole("treeitem", { name: /psql -f/ }).locator(".meta > time");
      const ended = page.page.getByRole("treeitem", { name: /npm test/ }).locator(".meta > time");
      assert.equal(await open.innerText(), "42 s");
      await page.page.evaluate(() => {
        const counted = globalThis as unknown as { added: number };
        counted.added = 0;
        new MutationObserver((records) => {
          for (const { target } of records)
            if (!(target instanceof HTMLTimeElement) && target.parentElement?.tagName !== "TIME") counted.added += 1;
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
      });
      await page.page.clock.runFor(20_000);
      assert.equal(await open.innerText(), "1 min 2 s");
      assert.equal(await ended.innerText(), "2 min");
      assert.equal(await page.page.evaluate(() => (globalThis as unknown as { added: number }).added), 0);
    }));

  it("lets nothing grow that nobody heard of since", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      const gone: AgentLink = { state: "gone", since: now + 5_000, heardAt: now + 4_000, cause: "it closed" };
      await page.says({ kind: "link", now, link: gone });
      await page.page.clock.runFor(60_000);
      const open = page.page.getByRole("treeitem", { name: /psql -f/ }).locator(".meta > time");
      assert.equal(await open.innerText(), "46 s");
    }));

  it("reckons with the clock of the host, not with its own", () =>
    withPage(async (page) => {
      const skewMs = 3_600_000;
      await page.says({ kind: "detail", now: now + skewMs, link: live, detail: sampleDetail() });
      const open = page.page.getByRole("treeitem", { name: /psql -f/ }).locator(".meta > time");
      assert.equal(await open.innerText(), "1 h");
    }));

  it("speaks of a new status once, and of nothing else", () =>
    withPage(async (page) => {
      const first = sampleDetail();
      await page.shows(first);
      const spoken = page.page.locator("[aria-live]");
      assert.equal(await spoken.count(), 1);
      assert.equal(await spoken.getAttribute("aria-live"), "polite");
      assert.equal(await spoken.textContent(), "", "the page's beginning is no news");
      const grown = withTurn(first, (turn) => ({ ...turn, entries: [...turn.entries, tool("t7")] }));
      await changes(page, first, grown);
      await page.page.clock.runFor(5_000);
      assert.equal(await spoken.textContent(), "");
      const works = {
        ...grown,
        session: { ...grown.session, status: { kind: "working", rule: "record-busy" } as const },
      };
      await changes(page, grown, works);
      await page.page.clock.runFor(1_000);
      assert.equal(await spoken.textContent(), "Migrate the billing tables: working");
    }));

  it("tells back a message that does not fit, and stays as it was", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      await page.says({ kind: "detail", now, link: live, detail: { version: 2, secret: "SECRET" } });
      const [, fault] = (await page.heard()) as { kind: string; says: string }[];
      assert.equal(fault?.kind, "fault");
      assert.ok(!fault.says.includes("SECRET"));
      assert.match(await page.page.locator("h1").innerText(), /Migrate/);
    }));

  it("says what its buttons are for, and none for what cannot be", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      for (const name of ["Go to Terminal", "Copy Id", "Why as Text"])
        await page.page.getByRole("button", { name }).click();
      const names = ((await page.heard()) as { name?: string }[]).flatMap(({ name }) => name ?? []);
      assert.deepEqual(names, ["goToTerminal", "copyId", "why"]);
      const { transcript: _transcript, ...without } = sampleDetail().session;
      await page.shows(sampleDetail({ session: without }));
      assert.ok(await page.page.getByRole("button", { name: "Open Transcript" }).first().isDisabled());
    }));

  it("offers to restore what is recorded and does not run, and nothing that lives", () =>
    withPage(async (page) => {
      await page.shows(sampleDetail());
      assert.equal(await page.page.getByRole("button", { name: "Restore" }).count(), 0);
      const { session } = sampleDetail();
      const liveness = { ...session.liveness, kind: "ended", how: "killed" } as const;
      await page.shows(sampleDetail({ session: { ...session, liveness, registry: { recorded: true } } }));
      await page.page.getByRole("button", { name: "Restore" }).click();
      const names = ((await page.heard()) as { name?: string }[]).flatMap(({ name }) => name ?? []);
      assert.deepEqual(names, ["restore"]);
    }));

  it("is found again as it was left, after the window was loaded anew", async () => {
    let kept: unknown;
    await withPage(async (page) => {
      await page.shows(sampleDetail());
      await page.page.getByRole("treeitem", { name: /Start the database/ }).click();
      await page.page.getByRole("treeitem", { name: /^.*Migrate the billing/ }).click();
      kept = await page.kept();
    });
    const { key, title } = kept as { key: string; title: string };
    assert.deepEqual([key, title], [sampleDetail().key, "Migrate the billing tables"]);
    await withPage(
      async (page) => {
        await page.shows(sampleDetail());
        const open = await page.page.getByRole("treeitem", { expanded: true }).allInnerTexts();
        assert.equal(open.length, 1);
        assert.match(open[0] ?? "", /Start the database/);
      },
      { kept },
    );
  });

  for (const width of [300, 560, 900, 1600]) {
    it(`has room in ${width} pixels`, () =>
      withPage(
        async (page) => {
          await page.shows(sampleDetail());
          const { scrollWidth, clientWidth } = await page.page.evaluate(() => {
            const { documentElement } = document;
            return { scrollWidth: documentElement.scrollWidth, clientWidth: documentElement.clientWidth };
          });
          assert.ok(scrollWidth <= clientWidth, `${scrollWidth} in ${clientWidth}`);
          await page.screenshot(`detail-${width}.png`);
        },
        { width, theme: width < 900 ? "light" : "dark" },
      ));
  }

  it("moves nothing for who asked for less motion", async () => {
    const moving = (page: DetailPage): Promise<number> =>
      page.page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
    await withPage(async (page) => {
      await page.shows(sampleDetail());
      assert.ok((await moving(page)) > 0);
    });
    await withPage(
      async (page) => {
        await page.shows(sampleDetail());
        assert.equal(await moving(page), 0);
      },
      { reducedMotion: true },
    );
  });

  it("has a look of its own for high contrast", () =>
    withPage(
      async (page) => {
        await page.shows(sampleDetail());
        const border = await page.page
          .getByRole("button", { name: "Copy Id" })
          .evaluate((element) => getComputedStyle(element).borderTopColor);
        assert.equal(border, "rgb(111, 195, 223)");
        await page.screenshot("detail-high-contrast.png");
      },
      { theme: "high-contrast" },
    ));
});
