// Base58 of instruction data, which have hundreds of digits, and of the keys of a list. JavaScript takes several times as long.

#include <stdlib.h>
#include <string.h>

#include "addon.h"

// Decoding: ten digits and eight bytes at a time.

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
    return fail(env, "decode takes a text of at most 16,000 characters and a buffer of its length");
  }
  size_t zeros = 0;
  while (zeros < length && text[zeros] == '1') zeros++;
  const size_t invalid = parse(&n, text + zeros, length - zeros);
  if (zeros > 0) memset(bytes, 0, zeros);
  const int64_t written = (int64_t)(zeros + write_bytes(bytes + zeros, &n));
  napi_create_int64(env, invalid > 0 ? -(int64_t)(zeros + invalid) : written, &result);
  return result;
}

// Encoding: a key is a sum of powers of 2^32, each multiplied by a word of the key. The limbs of these powers are known, so the
// limbs of the key are sums of products. A limb is four digits.

static const char ALPHABET[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

#define PAIR (58 * 58)
#define LIMB (PAIR * PAIR)
#define DIGITS_PER_LIMB 4
#define MAX_KEY_WORDS 16
#define MAX_KEY_LIMBS 22
#define MAX_KEY_DIGITS (MAX_KEY_LIMBS * DIGITS_PER_LIMB)

// The limbs of 2^(32 * word), lowest first.
static uint32_t powers[MAX_KEY_WORDS + 1][MAX_KEY_LIMBS];
// The characters of all numbers of two digits.
static char pairs[PAIR][2];

// Runs once, when the addon is loaded: several threads use it.
__attribute__((constructor)) static void prepare(void) {
  for (int i = 0; i < PAIR; i++) {
    pairs[i][0] = ALPHABET[i / 58];
    pairs[i][1] = ALPHABET[i % 58];
  }
  powers[0][0] = 1;
  for (int word = 0; word < MAX_KEY_WORDS; word++) {
    uint64_t carry = 0;
    for (int limb = 0; limb < MAX_KEY_LIMBS; limb++) {
      const uint64_t product = ((uint64_t)powers[word][limb] << 32) + carry;
      powers[word + 1][limb] = (uint32_t)(product % LIMB);
      carry = product / LIMB;
    }
  }
}

static uint32_t read_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Writes the digits of a key of 32 or 64 bytes, and returns how many. It is compiled for each of the sizes.
static inline __attribute__((always_inline)) size_t encode_words(const uint8_t *key, int words, int limbs, char *text) {
  uint64_t sums[MAX_KEY_LIMBS] = {0};
  char digits[MAX_KEY_DIGITS];
  for (int word = 0; word < words; word++) {
    const uint64_t value = read_word(key + 4 * (words - 1 - word));
    // A product has less than 56 bits, so 16 of them have less than 60.
    for (int limb = 0; limb < limbs; limb++) sums[limb] += value * powers[word][limb];
  }
  uint64_t carry = 0;
  for (int limb = 0; limb < limbs; limb++) {
    const uint64_t sum = sums[limb] + carry;
    carry = sum / LIMB;
    const uint32_t value = (uint32_t)(sum % LIMB);
    char *place = digits + (limbs - 1 - limb) * DIGITS_PER_LIMB;
    memcpy(place, pairs[value / PAIR], 2);
    memcpy(place + 2, pairs[value % PAIR], 2);
  }
  size_t zeros = 0, ones = 0;
  const size_t bytes = 4 * (size_t)words, length = (size_t)limbs * DIGITS_PER_LIMB;
  while (zeros < bytes && key[zeros] == 0) zeros++;
  while (ones < length && digits[ones] == '1') ones++;
  memset(text, '1', zeros);
  memcpy(text + zeros, digits + ones, length - ones);
  return zeros + length - ones;
}

static size_t encode_key(const uint8_t *key, size_t bytes, char *text) {
  return bytes == 32 ? encode_words(key, 8, 11, text) : encode_words(key, 16, MAX_KEY_LIMBS, text);
}

static bool is_key_size(size_t bytes) { return bytes == 32 || bytes == 64; }

// encode(key: Buffer): string. The key has 32 or 64 bytes.
static napi_value encode(napi_env env, napi_callback_info info) {
  size_t count = 1, length;
  napi_value argument, result;
  uint8_t *key;
  char text[MAX_KEY_DIGITS];
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || napi_get_buffer_info(env, argument, (void **)&key, &length) != napi_ok || !is_key_size(length)) {
    return fail(env, "encode takes a buffer of 32 or 64 bytes");
  }
  if (napi_create_string_latin1(env, text, encode_key(key, length, text), &result) != napi_ok) {
    return fail(env, "out of memory");
  }
  return result;
}

// Lists: records of keys and numbers, which a template writes as text. In a template, a character from 1 to 5 stands for the next
// field of the record, or for the next reference to a key that records share.

#define KEY 1        // 32 bytes, written as base58
#define SIGNATURE 2  // 64 bytes, written as base58
#define INTEGER 3    // 64 bits, big endian
#define DIGITS 4     // characters up to a byte 0, or to the end
#define REFERENCE 5  // the place of a shared key, which is written as base58
#define MAX_TEMPLATE 1024
#define MAX_INTEGER 20

#define MAX_KEY_TEXT 44

// The base58 of a shared key. The length is 0 until it is encoded: records refer to the same keys again and again.
typedef struct {
  uint8_t length;
  char text[MAX_KEY_TEXT];
} key_text;

typedef struct {
  const uint8_t *next, *end;
  const uint32_t *references, *references_end;
  const uint8_t *keys;
  size_t key_count;
  key_text *texts;
} input;

static char *write_integer(char *to, const uint8_t *bytes) {
  const uint64_t bits = (uint64_t)read_word(bytes) << 32 | read_word(bytes + 4);
  const bool is_negative = bits >> 63;
  char digits[MAX_INTEGER];
  int count = 0;
  for (uint64_t rest = is_negative ? -bits : bits; rest > 0 || count == 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  if (is_negative) *to++ = '-';
  while (count > 0) *to++ = digits[--count];
  return to;
}

// The most characters that a field is written as; of digits, which have no bound, none.
static size_t longest_text(char field) {
  switch (field) {
    case KEY:
    case REFERENCE:
      return MAX_KEY_TEXT;
    case SIGNATURE:
      return MAX_KEY_DIGITS;
    case INTEGER:
      return MAX_INTEGER;
    case DIGITS:
      return 0;
    default:
      return 1;
  }
}

// Returns the end of the text, NULL if there is no such reference or key.
static char *write_reference(char *to, input *from) {
  if (from->references == from->references_end || *from->references >= from->key_count) return NULL;
  const uint32_t at = *from->references++;
  key_text *const key = &from->texts[at];
  if (key->length == 0) {
    char text[MAX_KEY_DIGITS];
    key->length = (uint8_t)encode_key(from->keys + 32 * (size_t)at, 32, text);
    memcpy(key->text, text, key->length);
  }
  // The whole text: a known size is copied faster, and the output has room for it.
  memcpy(to, key->text, MAX_KEY_TEXT);
  return to + key->length;
}

// Bytes of a field of a record, and 0 for other characters, for digits and for references.
static size_t size_of(char field) { return field == KEY ? 32 : field == SIGNATURE ? 64 : field == INTEGER ? 8 : 0; }

typedef struct {
  char text[MAX_TEMPLATE];
  size_t length;
  // For each character, how many follow before the next field, with itself.
  uint16_t literal[MAX_TEMPLATE];
} record_template;

static bool is_field(char c) { return c >= KEY && c <= REFERENCE; }

static void find_literals(record_template *template) {
  uint16_t count = 0;
  for (size_t i = template->length; i-- > 0;) {
    count = is_field(template->text[i]) ? 0 : count + 1;
    template->literal[i] = count;
  }
}

static char *write_digits(char *to, input *from) {
  const size_t left = (size_t)(from->end - from->next);
  const uint8_t *const end = memchr(from->next, 0, left);
  const size_t digits = end == NULL ? left : (size_t)(end - from->next);
  memcpy(to, from->next, digits);
  from->next += end == NULL ? digits : digits + 1;
  return to + digits;
}

// Returns the end of the text, NULL if the record does not have the field.
static char *write_field(char *to, input *from, char field) {
  if (field == DIGITS) return write_digits(to, from);
  if (field == REFERENCE) return write_reference(to, from);
  const size_t size = size_of(field);
  if ((size_t)(from->end - from->next) < size) return NULL;
  to = field == INTEGER ? write_integer(to, from->next) : to + encode_key(from->next, size, to);
  from->next += size;
  return to;
}

// Returns the end of the text, NULL if the record does not have the fields.
static char *write_record(char *to, input *from, const record_template *template) {
  for (size_t i = 0; i < template->length && to != NULL;) {
    const size_t literal = template->literal[i];
    if (literal > 0) {
      memcpy(to, template->text + i, literal);
      to += literal;
      i += literal;
    } else {
      to = write_field(to, from, template->text[i++]);
    }
  }
  return to;
}

// Reads the arguments keys: Buffer and references: Uint32Array. Returns whether they are valid.
static bool read_shared(napi_env env, napi_value keys, napi_value references, input *from) {
  napi_typedarray_type type;
  size_t bytes, count;
  void *data;
  if (napi_get_buffer_info(env, keys, (void **)&from->keys, &bytes) != napi_ok || bytes % 32 != 0 ||
      napi_get_typedarray_info(env, references, &type, &count, &data, NULL, NULL) != napi_ok ||
      type != napi_uint32_array) {
    return false;
  }
  from->key_count = bytes / 32;
  from->references = data;
  from->references_end = from->references + count;
  return true;
}

typedef struct {
  input from;
  record_template template;
  // The most bytes that the text of all records can have.
  size_t most;
} text_job;

// Reads the arguments records: Buffer, template: string, keys?: Buffer, references?: Uint32Array. A template has a key, a signature
// or an integer. Returns false if it has thrown.
static bool read_job(napi_env env, const napi_value *arguments, size_t count, text_job *job) {
  record_template *const template = &job->template;
  size_t bytes, shortest = 0, longest = 1;
  uint8_t *records;
  if (count < 2 || napi_get_buffer_info(env, arguments[0], (void **)&records, &bytes) != napi_ok ||
      napi_get_value_string_latin1(env, arguments[1], template->text, MAX_TEMPLATE, &template->length) != napi_ok ||
      template->length == MAX_TEMPLATE - 1) {
    fail(env, "records are a buffer, and a template has less than 1,023 characters");
    return false;
  }
  job->from = (input){.next = records, .end = records + bytes};
  if (count > 2 && !read_shared(env, arguments[2], arguments[3], &job->from)) {
    fail(env, "shared keys are a buffer of 32 bytes each and a Uint32Array of references");
    return false;
  }
  find_literals(template);
  // Digits are written as they are.
  job->most = memchr(template->text, DIGITS, template->length) == NULL ? 0 : bytes;
  for (size_t i = 0; i < template->length; i++) {
    shortest += size_of(template->text[i]);
    longest += longest_text(template->text[i]);
  }
  if (shortest == 0) {
    fail(env, "a template has a key, a signature or an integer");
    return false;
  }
  // A part of a record at the end is written before it is found to have no end.
  job->most += (bytes / shortest + 1) * longest;
  return true;
}

// Writes the texts of all records with commas between them. Returns the end, NULL if it has thrown.
static char *write_text(napi_env env, text_job *job, char *text) {
  input *const from = &job->from;
  from->texts = calloc(from->key_count + 1, sizeof(key_text));
  if (from->texts == NULL) {
    fail(env, "out of memory");
    return NULL;
  }
  char *to = text;
  while (to != NULL && from->next < from->end) {
    if (to != text) *to++ = ',';
    to = write_record(to, from, &job->template);
  }
  free(from->texts);
  if (to == NULL) fail(env, "the records do not have the fields of the template");
  return to;
}

// formatRecords(records: Buffer, template: string, keys?: Buffer, references?: Uint32Array): string
static napi_value format_records(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4], result = NULL;
  text_job job;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (!read_job(env, arguments, count, &job)) return NULL;
  char *const text = malloc(job.most);
  if (text == NULL) return fail(env, "out of memory");
  char *const end = write_text(env, &job, text);
  if (end != NULL && napi_create_string_latin1(env, text, (size_t)(end - text), &result) != napi_ok) {
    fail(env, "out of memory");
  }
  free(text);
  return result;
}

// writeRecords(output: Buffer, records: Buffer, template: string, keys?: Buffer, references?: Uint32Array): number, the bytes that
// it has written: the text of formatRecords in ASCII.
static napi_value write_records(napi_env env, napi_callback_info info) {
  size_t count = 5, capacity;
  napi_value arguments[5], result = NULL;
  text_job job;
  char *output;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 3 || napi_get_buffer_info(env, arguments[0], (void **)&output, &capacity) != napi_ok) {
    return fail(env, "writeRecords takes a buffer for the text, records and a template");
  }
  if (!read_job(env, arguments + 1, count - 1, &job)) return NULL;
  if (job.most > capacity) return fail(env, "the buffer for the text is too small");
  char *const end = write_text(env, &job, output);
  if (end != NULL) napi_create_int64(env, end - output, &result);
  return result;
}

NAPI_MODULE_INIT() {
  export_function(env, exports, "decode", decode);
  export_function(env, exports, "encode", encode);
  export_function(env, exports, "formatRecords", format_records);
  export_function(env, exports, "writeRecords", write_records);
  return exports;
}
