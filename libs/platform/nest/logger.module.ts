import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config';
import { createLogger, LOGGER, type LogLevel } from '../logger';

/** Provides the application's logger as `LOGGER`. Its level is `LOG_LEVEL` of the config. */
@Global()
@Module({
  providers: [
    {
      provide: LOGGER,
      inject: [CONFIG],
      useFactory: ({ LOG_LEVEL }: { LOG_LEVEL: LogLevel }) => createLogger(LOG_LEVEL),
    },
  ],
  exports: [LOGGER],
})
export class LoggerModule {}
