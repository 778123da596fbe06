// Poseidon over the BN254 scalar field for x86-64 processors with AVX-512 IFMA: eight hashes at once, one in each lane of the
// vectors. The permutation and its parameters are those of the WebAssembly module; tools/poseidon/parameters.mjs has the formulas.
//
// A field element is 5 limbs of 52 bits, in Montgomery form with the radix 2^260. Products and sums are not reduced to the
// canonical number below the modulus p before the end of a hash, and stay below 2^256: p and all parameters are below 2^254, so
// the sum of 25 products is below 25 * 2^254 * 2^256. The reduction divides it by 2^260 and adds at most p; an addend is below p.

#include <immintrin.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LIMBS 5
#define LIMB_BITS 52
#define LIMB_MASK ((1ULL << LIMB_BITS) - 1)
#define LANES 8
#define FIELD_BYTES 32
#define MAX_ARITY 12
#define MAX_WIDTH (MAX_ARITY + 1)
#define MAX_PARTIAL_ROUNDS 66
#define FULL_ROUNDS 8

// A number of 5 limbs, lowest first.
typedef struct {
  uint64_t limbs[LIMBS];
} element;

static const element P = {
    {0x1f593f0000001, 0x4879b9709143e, 0x181585d2833e8, 0xa029b85045b68, 0x030644e72e131}};
// -1/p modulo 2^52.
static const uint64_t NEGATED_INVERSE = 0x1f593efffffff;
// 2^520 modulo p: the Montgomery form of the radix, which turns a number into its Montgomery form.
static const element R_SQUARED = {
    {0x0b852d16da6f5, 0xc621620cddce3, 0xaf1b95343ffb6, 0xc3c15e103e7c2, 0x00281528fa122}};
static const element ONE = {{1}};
static const element ZERO = {{0}};

// Of functions that use vectors: they may only be called where `is_supported`.
#define VECTOR __attribute__((target("avx512f,avx512ifma")))

// One element of each of the eight hashes.
typedef struct {
  __m512i limbs[LIMBS];
} elements;

// Sums of products by limb: 10 columns, of which the lower 5 become 0 by the reduction.
typedef struct {
  __m512i columns[2 * LIMBS];
} sums;

#define INLINE VECTOR static inline __attribute__((always_inline))

INLINE sums start_sums(const element *addend) {
  sums s;
  for (int i = 0; i < LIMBS; i++) {
    s.columns[i] = _mm512_setzero_si512();
    s.columns[LIMBS + i] = _mm512_set1_epi64((long long)addend->limbs[i]);
  }
  return s;
}

// Adds the products of one limb with all limbs of b. A column has at most 2 * 5 * 26 numbers of 52 bits: less than 2^61.
INLINE void add_products(__m512i *columns, __m512i a, const __m512i b[LIMBS]) {
  for (int j = 0; j < LIMBS; j++) {
    columns[j] = _mm512_madd52lo_epu64(columns[j], a, b[j]);
    columns[j + 1] = _mm512_madd52hi_epu64(columns[j + 1], a, b[j]);
  }
}

// The sums divided by the radix, modulo p (P. Montgomery, "Modular Multiplication Without Trial Division", 1985).
INLINE void reduce(elements *result, sums *s) {
  __m512i *c = s->columns;
  __m512i p[LIMBS];
  for (int j = 0; j < LIMBS; j++) p[j] = _mm512_set1_epi64((long long)P.limbs[j]);
  for (int i = 0; i < LIMBS; i++) {
    __m512i factor =
        _mm512_madd52lo_epu64(_mm512_setzero_si512(), c[i], _mm512_set1_epi64((long long)NEGATED_INVERSE));
    add_products(c + i, factor, p);
    c[i + 1] = _mm512_add_epi64(c[i + 1], _mm512_srli_epi64(c[i], LIMB_BITS));
  }
  for (int i = LIMBS; i < 2 * LIMBS - 1; i++) {
    result->limbs[i - LIMBS] = _mm512_and_si512(c[i], _mm512_set1_epi64((long long)LIMB_MASK));
    c[i + 1] = _mm512_add_epi64(c[i + 1], _mm512_srli_epi64(c[i], LIMB_BITS));
  }
  result->limbs[LIMBS - 1] = c[2 * LIMBS - 1];
}

// a * b + addend
INLINE void multiply(elements *result, const elements *a, const elements *b, const element *addend) {
  sums s = start_sums(addend);
  for (int i = 0; i < LIMBS; i++) add_products(s.columns + i, a->limbs[i], b->limbs);
  reduce(result, &s);
}

// The dot product of n parameters and n elements, plus an addend.
VECTOR static void dot(elements *result, const element *a, const elements *b, int n, const element *addend) {
  sums s = start_sums(addend);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < LIMBS; i++) {
      add_products(s.columns + i, _mm512_set1_epi64((long long)a[k].limbs[i]), b[k].limbs);
    }
  }
  reduce(result, &s);
}

// a^5 + addend
VECTOR static void sbox(elements *result, const elements *a, const element *addend) {
  elements square, fourth;
  multiply(&square, a, a, &ZERO);
  multiply(&fourth, &square, &square, &ZERO);
  multiply(result, &fourth, a, addend);
}

// The s-box of every element, then the matrix, then constants.
VECTOR static void full_round(elements *to, elements *state, int width, const element *matrix, const element *constants) {
  for (int i = 0; i < width; i++) sbox(state + i, state + i, &ZERO);
  for (int i = 0; i < width; i++) dot(to + i, matrix + i * width, state, width, constants + i);
}

// All partial rounds: from the first element and the made-up history in `from` to the state in `to`.
VECTOR static void partial_rounds(elements *to, const elements *from, int width, int rounds, const element *parameters) {
  const int n = width - 1;
  const element *step = parameters + rounds;
  const element *leave = step + 2 * n + 1;
  // Pairs (y, u): those that are made up, then one for each round.
  elements history[2 * (MAX_ARITY + MAX_PARTIAL_ROUNDS)];
  elements *end = history;
  for (int i = n; i > 0; i--, end += 2) {
    memset(end, 0, sizeof *end);
    end[1] = from[i];
  }
  const elements *window = history;
  const elements *u = from;
  for (int round = 0; round < rounds; round++, window += 2, end += 2) {
    sbox(end, u, parameters + round);
    dot(end + 1, step, window, 2 * n + 1, &ZERO);
    u = end + 1;
  }
  to[0] = *u;
  for (int i = 0; i < n; i++) dot(to + i + 1, leave + i * 2 * n, window, 2 * n, &ZERO);
}

// Element 0 of the permutation of a state, to which the first constants are added already. The state is overwritten.
VECTOR static void permute(elements *result, elements *state, int width, int rounds, const element *parameters) {
  elements next[MAX_WIDTH];
  const element *constants = parameters;
  const element *mds = constants + FULL_ROUNDS * width;
  const element *enter = mds + width * width;
  const element *partial = enter + width * width;
  full_round(next, state, width, mds, constants + width);
  full_round(state, next, width, mds, constants + 2 * width);
  full_round(next, state, width, mds, constants + 3 * width);
  full_round(state, next, width, enter, constants + 4 * width);
  partial_rounds(next, state, width, rounds, partial);
  full_round(state, next, width, mds, constants + 5 * width);
  full_round(next, state, width, mds, constants + 6 * width);
  full_round(state, next, width, mds, constants + 7 * width);
  for (int i = 0; i < width; i++) sbox(state + i, state + i, &ZERO);
  dot(result, mds, state, width, &ZERO);
}

static uint64_t read_word(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return __builtin_bswap64(word);
}

static void write_word(uint8_t *bytes, uint64_t word) {
  word = __builtin_bswap64(word);
  memcpy(bytes, &word, sizeof word);
}

// 32 bytes, big endian, to limbs.
static element unpack(const uint8_t *bytes) {
  const uint64_t w0 = read_word(bytes + 24), w1 = read_word(bytes + 16), w2 = read_word(bytes + 8), w3 = read_word(bytes);
  return (element){{w0 & LIMB_MASK, (w0 >> 52 | w1 << 12) & LIMB_MASK, (w1 >> 40 | w2 << 24) & LIMB_MASK,
                    (w2 >> 28 | w3 << 36) & LIMB_MASK, w3 >> 16}};
}

// Limbs to 32 bytes, big endian.
static void pack(uint8_t *bytes, const element *e) {
  const uint64_t *l = e->limbs;
  write_word(bytes + 24, l[0] | l[1] << 52);
  write_word(bytes + 16, l[1] >> 12 | l[2] << 40);
  write_word(bytes + 8, l[2] >> 24 | l[3] << 28);
  write_word(bytes, l[3] >> 36 | l[4] << 16);
}

static bool is_below_modulus(const element *e) {
  for (int i = LIMBS - 1; i >= 0; i--) {
    if (e->limbs[i] != P.limbs[i]) return e->limbs[i] < P.limbs[i];
  }
  return false;
}

VECTOR static void set_lane(elements *to, int lane, const element *from) {
  for (int i = 0; i < LIMBS; i++) memcpy((uint8_t *)&to->limbs[i] + 8 * lane, &from->limbs[i], 8);
}

VECTOR static element lane_of(const elements *from, int lane) {
  element e;
  for (int i = 0; i < LIMBS; i++) memcpy(&e.limbs[i], (const uint8_t *)&from->limbs[i] + 8 * lane, 8);
  return e;
}

// Parameters of 32 bytes to Montgomery form.
VECTOR static void load_parameters(element *to, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    elements number, montgomery;
    memset(&number, 0, sizeof number);
    const element parameter = unpack(bytes + i * FIELD_BYTES);
    set_lane(&number, 0, &parameter);
    dot(&montgomery, &R_SQUARED, &number, 1, &ZERO);
    to[i] = lane_of(&montgomery, 0);
  }
}

// Hashes up to 8 groups of inputs. Returns false if an input is not below the modulus.
VECTOR static bool hash_groups(int arity, int rounds, const element *parameters, const uint8_t *inputs, uint8_t *outputs, int groups) {
  elements state[MAX_WIDTH], number, hash;
  for (int i = 0; i < LIMBS; i++) state[0].limbs[i] = _mm512_set1_epi64((long long)parameters[0].limbs[i]);
  memset(&number, 0, sizeof number);
  for (int i = 0; i < arity; i++) {
    for (int lane = 0; lane < groups; lane++) {
      const element input = unpack(inputs + (lane * arity + i) * FIELD_BYTES);
      if (!is_below_modulus(&input)) return false;
      set_lane(&number, lane, &input);
    }
    dot(state + i + 1, &R_SQUARED, &number, 1, parameters + i + 1);
  }
  permute(&hash, state, arity + 1, rounds, parameters);
  // The product with 1 leaves the Montgomery form. It is at most p, and p only for 0.
  dot(&number, &ONE, &hash, 1, &ZERO);
  for (int lane = 0; lane < groups; lane++) {
    const element e = lane_of(&number, lane);
    pack(outputs + lane * FIELD_BYTES, is_below_modulus(&e) ? &e : &ZERO);
  }
  return true;
}

static size_t parameter_count(int arity, int rounds) {
  const size_t width = (size_t)arity + 1;
  return FULL_ROUNDS * width + 2 * width * width + (size_t)rounds + 2 * (size_t)arity + 1 + 2 * (size_t)arity * (size_t)arity;
}

typedef struct {
  uint8_t *data;
  size_t length;
} bytes;

// Returns false if the value is no buffer.
static bool get_bytes(napi_env env, napi_value value, bytes *result) {
  return napi_get_buffer_info(env, value, (void **)&result->data, &result->length) == napi_ok;
}

// Throws an error in JavaScript.
static napi_value fail(napi_env env, const char *message) {
  napi_throw_error(env, NULL, message);
  return NULL;
}

// prepare(parameters: Buffer): Buffer, the parameters in the form that `hash` takes.
static napi_value prepare(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, result;
  bytes packed;
  void *prepared;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || !get_bytes(env, argument, &packed)) return fail(env, "prepare takes a buffer");
  const size_t length = packed.length / FIELD_BYTES;
  if (napi_create_buffer(env, length * sizeof(element), &prepared, &result) != napi_ok) return fail(env, "out of memory");
  load_parameters(prepared, packed.data, length);
  return result;
}

// hash(arity, partialRounds, prepared: Buffer, inputs: Buffer, outputs: Buffer): boolean. It hashes as many groups as there
// are outputs, and returns false if an input is not below the modulus.
static napi_value hash(napi_env env, napi_callback_info info) {
  size_t count = 5;
  napi_value arguments[5], result;
  int32_t arity, rounds;
  bytes prepared, inputs, outputs;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 5 || napi_get_value_int32(env, arguments[0], &arity) != napi_ok ||
      napi_get_value_int32(env, arguments[1], &rounds) != napi_ok || !get_bytes(env, arguments[2], &prepared) ||
      !get_bytes(env, arguments[3], &inputs) || !get_bytes(env, arguments[4], &outputs)) {
    return fail(env, "hash takes two numbers and three buffers");
  }
  const size_t groups = outputs.length / FIELD_BYTES;
  if (arity < 1 || arity > MAX_ARITY || rounds < 1 || rounds > MAX_PARTIAL_ROUNDS ||
      prepared.length != parameter_count(arity, rounds) * sizeof(element) ||
      inputs.length != groups * (size_t)arity * FIELD_BYTES) {
    return fail(env, "the sizes of parameters, inputs and outputs do not match");
  }
  bool is_hashed = true;
  for (size_t group = 0; group < groups && is_hashed; group += LANES) {
    const int lanes = groups - group < LANES ? (int)(groups - group) : LANES;
    is_hashed = hash_groups(arity, rounds, (const element *)prepared.data, inputs.data + group * (size_t)arity * FIELD_BYTES,
                            outputs.data + group * FIELD_BYTES, lanes);
  }
  napi_get_boolean(env, is_hashed, &result);
  return result;
}

static bool is_supported(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma");
}

// Without the instructions nothing is exported.
NAPI_MODULE_INIT() {
  if (!is_supported()) return exports;
  const napi_property_descriptor functions[] = {
      {.utf8name = "prepare", .method = prepare},
      {.utf8name = "hash", .method = hash},
  };
  napi_define_properties(env, exports, 2, functions);
  return exports;
}
