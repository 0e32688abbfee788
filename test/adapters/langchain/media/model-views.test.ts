import { describe, expect, it } from "vitest";

import { notedViews, noteViews } from "../../../../src/adapters/langchain/media/model-views.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";

describe("what the model of a session takes", () => {
  it("is what the last one called says: of one without a profile nobody knows", () => {
    const offloader = createOffloader({ store: memoryStore(), media: true });
    const sees = { profile: { imageInputs: true } };
    noteViews(offloader, "one", sees);
    noteViews(offloader, "other", sees);
    noteViews(offloader, "one", { profile: {} });
    expect(notedViews(offloader, "one")).toBeUndefined();
    expect(notedViews(offloader, "other")).toEqual(["image"]);
  });
});
