import { Gauge, type Registry } from '@fresnel/platform';
import { type DataSource } from 'typeorm';
import { poolOf } from '../data-source';

/** Adds gauges of the connection pool of a data source, which may not be connected yet. */
export function measurePool(dataSource: DataSource, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'fresnel_postgres_pool_connections',
    help: 'Open connections of the pool by state: "active" while a statement or transaction uses them, else "idle"',
    labelNames: ['state'],
    registers,
    collect() {
      const { totalCount = 0, idleCount = 0 } = poolOf(dataSource) ?? {};
      this.set({ state: 'active' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  new Gauge({
    name: 'fresnel_postgres_pool_waiting_requests',
    help: 'Statements and transactions that wait for a connection of the pool',
    registers,
    collect() {
      this.set(poolOf(dataSource)?.waitingCount ?? 0);
    },
  });
}
