import { ConfigurableModuleBuilder, Global, Module } from '@nestjs/common';
import { type Chain } from '../rpc-chain';

/** Injection token of the `Chain` to index. */
export const CHAIN = Symbol('Chain');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<Chain>({ optionsInjectionToken: CHAIN }).build();

/** Provides the chain to index as `CHAIN`. */
@Global()
@Module({ exports: [CHAIN] })
export class ChainModule extends ConfigurableModuleClass {}
