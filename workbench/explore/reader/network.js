// The network of a language model: the twin of language_model/network.py. Plain typed arrays, one row at a time: a new
// ply costs one row of the encoder, and a slot one row of the decoder. Sums are taken in double precision and rounded
// to single, so that logits differ from numpy's in the sixth digit.

const SQUARE_COUNT = 64;
const SMALLEST_SQUARE = 1e-6;
/** Weights that vectors are multiplied by; the others are looked up by row. */
const MULTIPLIED = /(?:^last|^output|^move_from|^move_to|^move_promotion|\.query|\.key_value|\.out|\.widen|\.narrow)$/;

/** Numbers in half precision as single precision. @param {Uint16Array} halves @returns {Float32Array} */
export function singlePrecision(halves) {
  const powers = Float64Array.from({ length: 32 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));
  const values = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index += 1) {
    const exponent = halves[index] >> 10 & 31;
    const size = ((halves[index] & 1023) + (exponent ? 1024 : 0)) * powers[exponent];
    values[index] = halves[index] >> 15 ? -size : size;
  }
  return values;
}

function transposed(values, [inputs, outputs]) {
  const turned = new Float32Array(values.length);
  for (let input = 0; input < inputs; input += 1) {
    for (let output = 0; output < outputs; output += 1) turned[output * inputs + input] = values[input * outputs + output];
  }
  return turned;
}

/** Write a vector times a matrix, one row for each output. The length of the vector is a multiple of 4. */
function times(vector, rows, out) {
  const length = vector.length;
  for (let output = 0, at = 0; output < out.length; output += 1) {
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let index = 0; index < length; index += 4, at += 4) {
      one += vector[index] * rows[at];
      two += vector[index + 1] * rows[at + 1];
      three += vector[index + 2] * rows[at + 2];
      four += vector[index + 3] * rows[at + 3];
    }
    out[output] = one + two + three + four;
  }
  return out;
}

/** Write a vector with root mean square 1, times a scale. */
function normal(vector, scale, out) {
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += vector[index] * vector[index];
  const factor = 1 / Math.sqrt(sum / vector.length + SMALLEST_SQUARE);
  for (let index = 0; index < vector.length; index += 1) out[index] = vector[index] * scale[index] * factor;
  return out;
}

function add(vector, other) {
  for (let index = 0; index < vector.length; index += 1) vector[index] += other[index];
}

/** The softmax of logits. @param {ArrayLike<number>} logits @returns {Float64Array} */
export function softmax(logits) {
  const shares = Float64Array.from(logits);
  const most = shares.reduce((best, one) => Math.max(best, one), -Infinity);
  let sum = 0;
  for (let index = 0; index < shares.length; index += 1) sum += shares[index] = Math.exp(shares[index] - most);
  return shares.map((share) => share / sum);
}

export class Network {
  /**
   * @param {{shape: {width: number, heads: number, layers: number, blocks: number}, sizes: Object<string, number[]>}} description
   *   With the shapes of the weights by name, in the order in which they stand.
   * @param {Uint16Array} halves All weights in half precision, one after the other.
   */
  constructor({ shape, sizes }, halves) {
    if (shape.width % 4) throw new RangeError(`expected a width that is a multiple of 4, got ${shape.width}`);
    Object.assign(this, { shape, weights: {} });
    let first = 0;
    for (const [name, size] of Object.entries(sizes)) {
      const count = size.reduce((product, one) => product * one, 1);
      const values = singlePrecision(halves.subarray(first, first + count));
      this.weights[name] = MULTIPLIED.test(name) ? transposed(values, size) : values;
      first += count;
    }
    if (first !== halves.length) throw new RangeError(`expected ${first} weights, got ${halves.length}`);
    this.slots = sizes.slot[0];
    this.tokens = sizes.output[1];
    this.mostPlies = sizes.ply[0] - 1;
    this.slopes = Array.from({ length: shape.heads }, (_, head) => (head ? 2 ** -(head + 2) : 0));
    this.slotVectors = Array.from({ length: this.slots }, (_, slot) =>
      (slot < SQUARE_COUNT ? this.square("write", slot ^ 56) : this.row("slot", slot)));
    this.normed = new Float32Array(shape.width);
    this.added = new Float32Array(shape.width);
    this.wide = new Float32Array(4 * shape.width);
    this.mixed = new Float32Array(shape.width);
    this.scores = new Float64Array(Math.max(this.mostPlies + 1, this.slots));
  }

  row(name, index) {
    const { width } = this.shape;
    return this.weights[name].subarray(index * width, (index + 1) * width);
  }

  /** The vector of a square, 0 to 63, or 64 for none, in one use. */
  square(use, square) {
    const sum = Float32Array.from(this.row(`${use}.square`, square));
    add(sum, this.row(`${use}.rank`, square >> 3));
    add(sum, this.row(`${use}.file`, square & 7));
    return sum;
  }

  /** Write the vector of a query's attention to rows 0 to `last` of `past`, seen from row `last`. */
  attend(query, past, last, out) {
    const { heads, width } = this.shape;
    const part = width / heads;
    const { scores } = this;
    out.fill(0);
    for (let head = 0; head < heads; head += 1) {
      const from = head * part;
      let most = -Infinity;
      for (let row = 0; row <= last; row += 1) {
        let sum = 0;
        for (let index = from, at = row * 2 * width + from; index < from + part; index += 1, at += 1) sum += query[index] * past[at];
        scores[row] = sum / Math.sqrt(part) - this.slopes[head] * (last - row);
        if (scores[row] > most) most = scores[row];
      }
      let total = 0;
      for (let row = 0; row <= last; row += 1) total += scores[row] = Math.exp(scores[row] - most);
      for (let row = 0; row <= last; row += 1) {
        const share = scores[row] / total;
        for (let index = from, at = row * 2 * width + width + from; index < from + part; index += 1, at += 1) out[index] += share * past[at];
      }
    }
  }

  /** Add to a vector what attention to `past` adds, seen from row `last`; with `own`, that row is the vector itself. */
  addAttention(vector, name, past, last, own) {
    const { width } = this.shape;
    const normed = normal(vector, this.weights[`${name}.norm`], this.normed);
    if (own) times(normed, this.weights[`${name}.key_value`], past.subarray(last * 2 * width, (last + 1) * 2 * width));
    this.attend(times(normed, this.weights[`${name}.query`], this.added), past, last, this.mixed);
    add(vector, times(this.mixed, this.weights[`${name}.out`], this.added));
  }

  addFeedForward(vector, name) {
    const wide = times(normal(vector, this.weights[`${name}.norm`], this.normed), this.weights[`${name}.widen`], this.wide);
    for (let index = 0; index < wide.length; index += 1) if (wide[index] < 0) wide[index] = 0;
    add(vector, times(wide, this.weights[`${name}.narrow`], this.added));
  }
}

/** A game as a network has read it: keys and values of each ply, so that one more ply costs one row. */
export class Reading {
  /** @param {Network} network */
  constructor(network) {
    this.network = network;
    this.moves = [];
    this.patch = null;
    const { width, layers, blocks } = network.shape;
    const pasts = (count, rows) => Array.from({ length: count }, () => new Float32Array(rows * 2 * width));
    this.within = pasts(layers, network.mostPlies + 1);
    this.across = pasts(blocks, network.mostPlies + 1);
    this.written = pasts(blocks, network.slots);
    this.encoded = [];
    this.encode(SQUARE_COUNT, SQUARE_COUNT, 0);
  }

  /**
   * Read a game; what it shares with the game before stays.
   * @param {number[][]} moves Each (square left, entered, promotion 0 to 4).
   * @param {{ply: number, layer: number, vector: Float32Array}|null} [patch] What is added to the state of a ply, from 1, after so
   *   many layers; every later state is read again: the twin of EncodedGames.patched. Another patch is another object.
   */
  read(moves, patch = null) {
    const limit = this.network.mostPlies;
    if (moves.length > limit) throw new RangeError(`the language model reads at most ${limit} plies, got ${moves.length}`);
    if (patch !== this.patch) {
      const first = Math.min(...[this.patch, patch].map((one) => (one ? one.ply : Infinity)));
      this.patch = patch;
      this.moves = this.moves.slice(0, first - 1);
      this.encoded = this.encoded.slice(0, first);
    }
    const differs = moves.findIndex((move, ply) => ply >= this.moves.length || move.some((part, index) => part !== this.moves[ply][index]));
    if (differs < 0) return;
    this.moves.length = differs;
    this.encoded.length = differs + 1;
    for (const move of moves.slice(differs)) {
      this.moves.push(move);
      this.encode(...move);
    }
  }

  encode(from, to, promotion) {
    const { network } = this;
    const ply = this.encoded.length;
    const vector = network.square("leave", from);
    add(vector, network.square("enter", to));
    add(vector, network.row("promotion", promotion));
    add(vector, network.row("ply", ply));
    const addPatch = (layer) => { if (this.patch?.ply === ply && this.patch.layer === layer) add(vector, this.patch.vector); };
    addPatch(0);
    this.within.forEach((past, layer) => {
      network.addAttention(vector, `encoder.${layer}.self`, past, ply, true);
      network.addFeedForward(vector, `encoder.${layer}`);
      addPatch(layer + 1);
    });
    const encoded = normal(vector, network.weights.encoded, vector);
    this.encoded.push(encoded);
    const { width } = network.shape;
    this.across.forEach((past, block) => {
      times(encoded, network.weights[`decoder.${block}.cross.key_value`], past.subarray(ply * 2 * width, (ply + 1) * 2 * width));
    });
  }

  /**
   * Write the board after a ply, the likeliest token each time.
   * @param {number} ply @returns {{tokens: number[], logits: Float32Array[]}} By slot.
   */
  write(ply) {
    const { network } = this;
    const { weights } = network;
    const last = times(this.encoded[ply], weights.last, new Float32Array(network.shape.width));
    const tokens = [];
    const logits = [];
    for (let slot = 0; slot < network.slots; slot += 1) {
      const vector = Float32Array.from(network.row("token", slot ? tokens[slot - 1] : network.tokens));
      add(vector, network.slotVectors[slot]);
      add(vector, last);
      this.written.forEach((past, block) => {
        network.addAttention(vector, `decoder.${block}.self`, past, slot, true);
        network.addAttention(vector, `decoder.${block}.cross`, this.across[block], ply, false);
        network.addFeedForward(vector, `decoder.${block}`);
      });
      logits.push(times(normal(vector, weights.written, network.normed), weights.output, new Float32Array(network.tokens)));
      tokens.push(likeliest(logits[slot]));
    }
    return { tokens, logits };
  }

  /**
   * The next moves after a ply of at least this probability, the likeliest first.
   * @param {number} ply @param {number} least @returns {Array<{move: number[], probability: number}>}
   */
  nextMoves(ply, least) {
    const { network } = this;
    const encoded = this.encoded[ply];
    const raised = (...rows) => encoded.map((value, index) => Math.max(0, rows.reduce((sum, row) => sum + row[index], value)));
    const shares = (vector, name, count) => [...softmax(times(vector, network.weights[name], new Float32Array(count))).entries()];
    const likely = [];
    for (const [from, leaving] of shares(encoded, "move_from", SQUARE_COUNT)) {
      if (leaving < least) continue;
      for (const [to, entering] of shares(raised(network.row("move_left", from)), "move_to", SQUARE_COUNT)) {
        if (leaving * entering < least) continue;
        for (const [promotion, share] of shares(raised(network.row("move_left", from), network.row("move_entered", to)), "move_promotion", 5)) {
          const probability = leaving * entering * share;
          if (probability >= least) likely.push({ move: [from, to, promotion], probability });
        }
      }
    }
    return likely.sort((one, other) => other.probability - one.probability);
  }
}

/** The first of the largest values. @param {Float32Array} values @returns {number} */
function likeliest(values) {
  let best = 0;
  for (let index = 1; index < values.length; index += 1) if (values[index] > values[best]) best = index;
  return best;
}
