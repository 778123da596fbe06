export { HttpValidityProverModule } from './http-validity-prover.module';
