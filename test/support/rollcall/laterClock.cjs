// Preloaded into a program under test: its clock runs ahead, so that a process which was started a moment ago is hours
// old to it. Nothing else of it is changed.
"use strict";
const aheadMs = Number(process.env.ROLLCALL_TEST_CLOCK_AHEAD_MS);
const realNow = Date.now;
Date.now = () => realNow() + aheadMs;
