// After all suites: stops the servers that they shared.

module.exports = async () => {
  await require('./jest-servers.cjs').tearDown();
};
