// Runs before suites. Compiles the addons of the libraries, which a checkout with a restored dist/ lacks.

module.exports = async function setUp() {
  const { compileNative } = await import('./native.mjs');
  compileNative();
};
