// Runs before suites. Compiles the addon of Poseidon, which a new checkout lacks.

module.exports = async function setUp() {
  const { compileNative } = await import('./native.mjs');
  compileNative();
};
