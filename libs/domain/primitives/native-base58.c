// Decodes base58 with ten digits and eight bytes at a time: instruction data have hundreds of digits, and big integers of
// JavaScript take several times as long.

#include <node_api.h>
#include <stdint.h>
#include <string.h>

#define MAX_CHARACTERS 16000
#define DIGITS_PER_STEP 10
// Fewer bits than the characters have: a digit has 5.86.
#define MAX_LIMBS (MAX_CHARACTERS * 6 / 64 + 1)

// The digit of each character plus one, 0 for all others.
static const uint8_t DIGIT_OF[256] = {
    ['1'] = 1, ['2'] = 2, ['3'] = 3, ['4'] = 4, ['5'] = 5, ['6'] = 6, ['7'] = 7, ['8'] = 8, ['9'] = 9, ['A'] = 10,
    ['B'] = 11, ['C'] = 12, ['D'] = 13, ['E'] = 14, ['F'] = 15, ['G'] = 16, ['H'] = 17, ['J'] = 18, ['K'] = 19,
    ['L'] = 20, ['M'] = 21, ['N'] = 22, ['P'] = 23, ['Q'] = 24, ['R'] = 25, ['S'] = 26, ['T'] = 27, ['U'] = 28,
    ['V'] = 29, ['W'] = 30, ['X'] = 31, ['Y'] = 32, ['Z'] = 33, ['a'] = 34, ['b'] = 35, ['c'] = 36, ['d'] = 37,
    ['e'] = 38, ['f'] = 39, ['g'] = 40, ['h'] = 41, ['i'] = 42, ['j'] = 43, ['k'] = 44, ['m'] = 45, ['n'] = 46,
    ['o'] = 47, ['p'] = 48, ['q'] = 49, ['r'] = 50, ['s'] = 51, ['t'] = 52, ['u'] = 53, ['v'] = 54, ['w'] = 55,
    ['x'] = 56, ['y'] = 57, ['z'] = 58,
};

// A number, lowest limb first.
typedef struct {
  size_t count;
  uint64_t limbs[MAX_LIMBS];
} number;

static void multiply_add(number *n, uint64_t factor, uint64_t addend) {
  for (size_t i = 0; i < n->count; i++) {
    const unsigned __int128 sum = (unsigned __int128)n->limbs[i] * factor + addend;
    n->limbs[i] = (uint64_t)sum;
    addend = (uint64_t)(sum >> 64);
  }
  if (addend > 0) n->limbs[n->count++] = addend;
}

// Returns 0, or the place of the first character that is no digit, counted from 1.
static size_t parse(number *n, const char *text, size_t length) {
  n->count = 0;
  for (size_t at = 0; at < length;) {
    // The first step takes what no other takes.
    const size_t end = at + (length - at - 1) % DIGITS_PER_STEP + 1;
    uint64_t factor = 1, step = 0;
    for (; at < end; at++) {
      const uint8_t digit = DIGIT_OF[(uint8_t)text[at]];
      if (digit == 0) return at + 1;
      step = step * 58 + digit - 1;
      factor *= 58;
    }
    multiply_add(n, factor, step);
  }
  return 0;
}

// Writes the bytes of a number without leading zeros, and returns how many.
static size_t write_bytes(uint8_t *bytes, const number *n) {
  uint8_t *next = bytes;
  for (size_t i = n->count; i-- > 0;) {
    const int skipped = next == bytes ? __builtin_clzll(n->limbs[i]) / 8 : 0;
    for (int byte = 7 - skipped; byte >= 0; byte--) *next++ = (uint8_t)(n->limbs[i] >> (8 * byte));
  }
  return (size_t)(next - bytes);
}

// decode(text: string, output: Buffer): number. Returns the number of bytes, or the negative place of the first character that
// is no digit, counted from 1. The output must be as long as the text.
static napi_value decode(napi_env env, napi_callback_info info) {
  size_t count = 2, length, capacity;
  napi_value arguments[2], result;
  char text[MAX_CHARACTERS + 4];
  uint8_t *bytes;
  number n;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 2 || napi_get_value_string_utf8(env, arguments[0], text, sizeof text, &length) != napi_ok ||
      napi_get_buffer_info(env, arguments[1], (void **)&bytes, &capacity) != napi_ok || length > capacity ||
      length > MAX_CHARACTERS) {
    napi_throw_error(env, NULL, "decode takes a text of at most 16,000 characters and a buffer of its length");
    return NULL;
  }
  size_t zeros = 0;
  while (zeros < length && text[zeros] == '1') zeros++;
  const size_t invalid = parse(&n, text + zeros, length - zeros);
  if (zeros > 0) memset(bytes, 0, zeros);
  const int64_t written = (int64_t)(zeros + write_bytes(bytes + zeros, &n));
  napi_create_int64(env, invalid > 0 ? -(int64_t)(zeros + invalid) : written, &result);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "decode", NAPI_AUTO_LENGTH, decode, NULL, &function);
  napi_set_named_property(env, exports, "decode", function);
  return exports;
}
