// What the addons share.

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint8_t *data;
  size_t length;
} bytes;

// Returns false if the value is no buffer.
static inline bool get_bytes(napi_env env, napi_value value, bytes *result) {
  return napi_get_buffer_info(env, value, (void **)&result->data, &result->length) == napi_ok;
}

// Throws an error in JavaScript.
static inline napi_value fail(napi_env env, const char *message) {
  napi_throw_error(env, NULL, message);
  return NULL;
}

static inline void export_function(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function);
  napi_set_named_property(env, exports, name, function);
}
