import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, type ConfigSchema, loadConfig } from '../config';

/** Provides the application's config as `CONFIG`. Read once, when the application is created. */
@Module({})
export class ConfigModule {
  /** @param schema every environment variable that the application reads */
  static register(schema: ConfigSchema): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: CONFIG, useFactory: () => loadConfig(schema) }],
      exports: [CONFIG],
    };
  }
}
