// One frame of the map. The work is bounded by what the window shows: lanes and rows in view, never the session.
import { hiddenTold } from 'lb/hidden';
import { paintDesign } from 'lb/design_paint';
import { Ink } from 'lb/ink';
import { DENSE, GUTTER } from 'lb/layout';
import { paintDensity, paintTicks } from 'lb/paint_density';
import { paintClocks, paintEvidence, paintGaps, paintTags } from 'lb/paint_findings';
import { paintFlow } from 'lb/paint_flow';
import { paintColumns, paintGround, paintGutter } from 'lb/paint_gutter';
import { HeaderPainter } from 'lb/paint_header';
import { paintKnowledge } from 'lb/paint_knowledge';
import { paintState } from 'lb/paint_state';
import { paintFound } from 'lb/search_paint';
import { paintBeyondWords } from 'lb/moments_paint';
import { mapStyles } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/tokens').Tokens} Tokens */
/** @typedef {import('lb/evidence').Evidence} Evidence */

/** While the window moves, what stands on rows scrolled away is counted once in so many frames. */
const TOLD_EVERY = 4;

export class Painter {
  constructor() {
    this.ink = new Ink();
    this.header = new HeaderPainter();
    /** @type {Tokens | null} */
    this.tokens = null;
    /** Marks on rows scrolled away, as the gutter last told. */
    this.told = '';
    this.readable = false;
    /** Frames since the gutter last told. */
    this.since = 0;
  }

  /**
   * The gutter has a canvas of its own: it stays while the window moves, and the map's is painted over from edge to edge,
   * which spares the browser a copy of the frame before.
   * @param {CanvasRenderingContext2D} ctx already scaled to CSS pixels, as is the next
   * @param {CanvasRenderingContext2D} gutter @param {Scene} scene
   * @param {boolean} whole false: nothing but the window moved since the last frame, so the gutter is still right
   * @param {boolean} [resting] the window has come to rest
   */
  paint(ctx, gutter, scene, whole, resting = whole) {
    scene.begin();
    ctx.fillStyle = scene.tokens.map;
    ctx.fillRect(0, 0, scene.layout.width, scene.layout.height);
    clipped(ctx, scene, () => {
      const findings = findingsOf(scene);
      this.paintLanes(ctx, scene, findings);
      this.paintFloats(ctx, scene, findings);
    });
    this.paintGutter(gutter, scene, whole, resting);
  }

  /** @param {CanvasRenderingContext2D} gutter @param {Scene} scene @param {boolean} whole false: nothing but the window moved @param {boolean} resting it has come to rest */
  paintGutter(gutter, scene, whole, resting) {
    if (!whole && !resting && this.readable === scene.readable && ++this.since < TOLD_EVERY) return;
    this.since = 0;
    const told = hiddenTold(scene);
    if (whole || this.readable !== scene.readable) paintGutter(gutter, scene);
    else if (told !== this.told) paintColumns(gutter, scene);
    this.told = told;
    this.readable = scene.readable;
  }

  /** The window's part of the lanes and their ground, without what floats over them. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
  paintTile(ctx, scene) {
    ctx.fillStyle = scene.tokens.map;
    ctx.fillRect(GUTTER, 0, scene.layout.width - GUTTER, scene.layout.height);
    this.paintLanes(ctx, scene);
  }

  /** What stands in lanes and moves with them. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Evidence[]} [findings] */
  paintLanes(ctx, scene, findings = findingsOf(scene)) {
    if (this.tokens !== scene.tokens) {
      this.tokens = scene.tokens;
      this.ink.use(mapStyles(scene.tokens));
    }
    const far = scene.lane < DENSE;
    paintGround(ctx, scene);
    paintGaps(ctx, scene, findings);
    if (far) paintDensity(ctx, scene);
    else {
      /** @type {{x: number, y: number, level: number}[]} */
      const clocks = [];
      paintKnowledge(scene, this.ink, clocks);
      paintState(scene, this.ink, ctx);
      paintFlow(scene, this.ink);
      paintEvidence(scene, this.ink, findings);
      this.ink.flush(ctx);
      paintClocks(ctx, scene, clocks);
    }
    this.header.paint(ctx, scene);
    if (far) paintTicks(ctx, scene);
    if (scene.design) paintDesign(ctx, scene);
    paintFound(ctx, scene);
  }

  /** What has its place by the window's edges: labels of findings, numbers of narrow lanes. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Evidence[]} [findings] */
  paintFloats(ctx, scene, findings = findingsOf(scene)) {
    if (scene.lane < DENSE) scene.tags.length = 0;
    else paintTags(ctx, scene, findings);
    this.header.paintNumbers(ctx, scene);
    paintBeyondWords(ctx, scene);
  }
}

/** What is drawn of findings in the window. @param {Scene} scene @returns {Evidence[]} */
function findingsOf(scene) {
  return scene.lane < DENSE ? scene.gaps() : scene.findings();
}

/** Draws within the map's lanes alone. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {() => void} draw */
export function clipped(ctx, { layout }, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
  ctx.clip();
  draw();
  ctx.restore();
}
