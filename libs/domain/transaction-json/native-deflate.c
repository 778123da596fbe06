// Compresses a few kilobytes to raw DEFLATE (RFC 1951) in a fifth of the time of zlib, which spends most of it on what pays for
// longer inputs: here the input is one block with the fixed codes, and the dictionary is indexed once for all inputs.

#include <string.h>

#include "../primitives/addon.h"

// Distances reach as far, and positions are two bytes.
#define MAX_WINDOW 32768
#define HASH_BITS 13
#define MIN_MATCH 4
#define MAX_MATCH 258
// Places that are compared for a match.
#define MAX_DEPTH 8

// The last place of each hash, and for each place the one before with the same hash, counted from 1; 0 for none.
typedef struct {
  uint32_t dictionary_length;
  uint16_t dictionary_heads[1 << HASH_BITS];
  uint16_t heads[1 << HASH_BITS];
  uint16_t previous[MAX_WINDOW];
  // The dictionary, then the input.
  uint8_t window[MAX_WINDOW + 8];
} workspace;

static uint64_t load64(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static uint32_t hash_at(const workspace *w, size_t at) {
  return ((uint32_t)load64(w->window + at) * 2654435761u) >> (32 - HASH_BITS);
}

static void insert(workspace *w, size_t at) {
  uint16_t *head = &w->heads[hash_at(w, at)];
  w->previous[at] = *head;
  *head = (uint16_t)(at + 1);
}

static size_t common_length(const uint8_t *one, const uint8_t *other, size_t limit) {
  for (size_t length = 0; length < limit; length += 8) {
    const uint64_t difference = load64(one + length) ^ load64(other + length);
    if (difference == 0) continue;
    const size_t found = length + (size_t)__builtin_ctzll(difference) / 8;
    return found < limit ? found : limit;
  }
  return limit;
}

// The longest match of at least MIN_MATCH bytes, the nearest one of those; 0 if there is none.
static size_t find_match(const workspace *w, size_t at, size_t end, size_t *distance) {
  const size_t limit = end - at < MAX_MATCH ? end - at : MAX_MATCH;
  size_t best = MIN_MATCH - 1;
  size_t candidate = w->heads[hash_at(w, at)];
  for (int depth = 0; candidate > 0 && depth < MAX_DEPTH && best < limit; depth++) {
    const size_t from = candidate - 1;
    if (w->window[from + best] == w->window[at + best]) {
      const size_t length = common_length(w->window + from, w->window + at, limit);
      if (length > best) {
        best = length;
        *distance = at - from;
      }
    }
    candidate = w->previous[from];
  }
  return best >= MIN_MATCH ? best : 0;
}

// Bits of DEFLATE are written from the lowest one of each byte on.
typedef struct {
  uint8_t *next;
  uint64_t bits;
  unsigned count;
} bit_writer;

// Writes up to 7 bytes more than are complete: the next ones overwrite them.
static void put(bit_writer *out, uint32_t bits, unsigned count) {
  out->bits |= (uint64_t)bits << out->count;
  out->count += count;
  memcpy(out->next, &out->bits, sizeof out->bits);
  out->next += out->count / 8;
  out->bits >>= out->count & ~7u;
  out->count &= 7;
}

// Codes are written from their highest bit on.
static void put_code(bit_writer *out, uint32_t code, unsigned count) {
  uint32_t reversed = code << (16 - count);
  reversed = (reversed & 0x5555) << 1 | (reversed >> 1 & 0x5555);
  reversed = (reversed & 0x3333) << 2 | (reversed >> 2 & 0x3333);
  reversed = (reversed & 0x0f0f) << 4 | (reversed >> 4 & 0x0f0f);
  reversed = (reversed & 0x00ff) << 8 | (reversed >> 8 & 0x00ff);
  put(out, reversed, count);
}

// RFC 1951, 3.2.6: the fixed code of a literal or length.
static void put_symbol(bit_writer *out, uint32_t symbol) {
  if (symbol < 144) put_code(out, 0x30 + symbol, 8);
  else if (symbol < 256) put_code(out, 0x190 + symbol - 144, 9);
  else if (symbol < 280) put_code(out, symbol - 256, 7);
  else put_code(out, 0xc0 + symbol - 280, 8);
}

// RFC 1951, 3.2.5: beyond the first codes, each power of two is shared by 2^`shared_bits` codes with extra bits.
static uint32_t code_of(uint32_t value, unsigned shared_bits, unsigned *extra) {
  *extra = 0;
  if (value >> shared_bits < 2) return value;
  *extra = 31 - (unsigned)__builtin_clz(value) - shared_bits;
  return (*extra << shared_bits) + (value >> *extra);
}

static void put_match(bit_writer *out, size_t length, size_t distance) {
  unsigned extra;
  if (length == MAX_MATCH) put_symbol(out, 285);
  else {
    const uint32_t value = (uint32_t)length - 3;
    put_symbol(out, 257 + code_of(value, 2, &extra));
    put(out, value & ((1u << extra) - 1), extra);
  }
  const uint32_t value = (uint32_t)distance - 1;
  put_code(out, code_of(value, 1, &extra), 5);
  put(out, value & ((1u << extra) - 1), extra);
}

// A byte takes at most 9 bits, what is around them 17, and `put` writes up to 7 bytes more.
#define MAX_OUTPUT(length) ((length) + (length) / 8 + 16)

// Returns the number of bytes.
static size_t compress(workspace *w, size_t start, size_t end, uint8_t *output) {
  bit_writer out = {output, 0, 0};
  put(&out, 1, 1); // the last block
  put(&out, 1, 2); // with fixed codes
  for (size_t at = start; at < end;) {
    size_t distance = 0, length = 0;
    if (end - at >= MIN_MATCH) length = find_match(w, at, end, &distance);
    if (length > 0) put_match(&out, length, distance);
    else put_symbol(&out, w->window[at]);
    for (const size_t next = at + (length > 0 ? length : 1); at < next; at++) insert(w, at);
  }
  put_symbol(&out, 256);
  if (out.count > 0) put(&out, 0, 8 - out.count);
  return (size_t)(out.next - output);
}

// prepare(dictionary: Buffer): Buffer. Returns the workspace for `deflate`, which one thread may use.
static napi_value prepare(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, result;
  bytes dictionary;
  workspace *w;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || !get_bytes(env, argument, &dictionary) || dictionary.length > MAX_WINDOW) {
    return fail(env, "prepare takes a dictionary of at most 32 KiB");
  }
  if (napi_create_buffer(env, sizeof *w, (void **)&w, &result) != napi_ok) return fail(env, "out of memory");
  memset(w, 0, sizeof *w);
  w->dictionary_length = (uint32_t)dictionary.length;
  if (dictionary.length > 0) memcpy(w->window, dictionary.data, dictionary.length);
  for (size_t at = 0; at + MIN_MATCH <= dictionary.length; at++) insert(w, at);
  memcpy(w->dictionary_heads, w->heads, sizeof w->heads);
  return result;
}

// deflate(workspace: Buffer, known: Buffer, input: Buffer, output: Buffer): number. Compresses the input with the dictionary and
// the known bytes after it, and returns the number of bytes that it wrote.
static napi_value deflate(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4], result;
  bytes prepared, known, input, output;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 4 || !get_bytes(env, arguments[0], &prepared) || !get_bytes(env, arguments[1], &known) ||
      !get_bytes(env, arguments[2], &input) || !get_bytes(env, arguments[3], &output)) {
    return fail(env, "deflate takes four buffers");
  }
  workspace *w = (workspace *)prepared.data;
  if (prepared.length != sizeof *w || known.length > MAX_WINDOW || input.length > MAX_WINDOW ||
      w->dictionary_length + known.length + input.length > MAX_WINDOW || output.length < MAX_OUTPUT(input.length)) {
    return fail(env, "the sizes of workspace, inputs and output do not match");
  }
  size_t at = w->dictionary_length;
  const size_t start = at + known.length;
  memcpy(w->heads, w->dictionary_heads, sizeof w->heads);
  // An empty buffer may have no memory.
  if (known.length > 0) memcpy(w->window + at, known.data, known.length);
  if (input.length > 0) memcpy(w->window + start, input.data, input.length);
  while (at < start) insert(w, at++);
  napi_create_uint32(env, (uint32_t)compress(w, start, start + input.length, output.data), &result);
  return result;
}

NAPI_MODULE_INIT() {
  export_function(env, exports, "prepare", prepare);
  export_function(env, exports, "deflate", deflate);
  return exports;
}
