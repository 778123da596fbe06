export { GrpcProverClientModule } from './grpc-prover-client.module';
