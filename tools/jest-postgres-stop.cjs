module.exports = async () => {
  await require('./jest-postgres.cjs').tearDown();
};
