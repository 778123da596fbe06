// Runs after all suites. Stops the shared servers.

module.exports = async () => {
  await require('./jest-servers.cjs').tearDown();
};
