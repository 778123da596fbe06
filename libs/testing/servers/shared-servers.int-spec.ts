import { provideSharedServers, sharedPostgres, sharedRedis } from './shared-servers';

describe('provideSharedServers', () => {
  it('neither replaces nor stops servers that run already', async () => {
    const addresses = async () => [await sharedPostgres(), (await sharedRedis()).url];
    const before = await addresses();
    const stop = await provideSharedServers();
    expect(await addresses()).toEqual(before);
    await stop();
    expect(await addresses()).toEqual(before);
  });

  it('names its servers until they are stopped', async () => {
    const url = process.env.FRESNEL_TEST_SERVERS_URL;
    delete process.env.FRESNEL_TEST_SERVERS_URL;
    const stop = await provideSharedServers();
    expect(process.env.FRESNEL_TEST_SERVERS_URL).toMatch(/^http:/);
    await stop();
    expect(process.env.FRESNEL_TEST_SERVERS_URL).toBeUndefined();
    process.env.FRESNEL_TEST_SERVERS_URL = url;
  });
});
