import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../../base/limits.ts";
import { OpenNodes } from "../../../../extension/views/openNodes.ts";

describe("what a person opened or closed", () => {
  it("stays so, but for what has nothing below it", () => {
    const nodes = new OpenNodes();
    nodes.remember("a", true);
    nodes.remember("b", false);
    assert.equal(nodes.stateOf({ id: "a", collapsed: "collapsed" }), "expanded");
    assert.equal(nodes.stateOf({ id: "b", collapsed: "expanded" }), "collapsed");
    assert.equal(nodes.stateOf({ id: "a", collapsed: "leaf" }), "leaf");
    assert.equal(nodes.stateOf({ id: "c", collapsed: "expanded" }), "expanded");
    nodes.remember("a", false);
    assert.equal(nodes.stateOf({ id: "a", collapsed: "collapsed" }), "collapsed");
  });

  it("is forgotten for the oldest when there are too many", () => {
    const nodes = new OpenNodes();
    for (let index = 0; index <= limits.openNodesRemembered; index += 1) nodes.remember(`${index}`, true);
    assert.equal(nodes.stateOf({ id: "0", collapsed: "collapsed" }), "collapsed");
    assert.equal(nodes.stateOf({ id: "1", collapsed: "collapsed" }), "expanded");
  });
});
