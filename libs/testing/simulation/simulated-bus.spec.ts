import { describeBusContract } from '@fresnel/adapters/bus/bus.contract';
import { sleep } from '@fresnel/platform/time';
import { CONTRACT_PARTITIONS, numberedTopic } from '@fresnel/testing/bus';
import { SimulatedBroker } from './simulated-broker';
import { SimulatedBus } from './simulated-bus';

describe('SimulatedBus', () => {
  describeBusContract(() => {
    const broker = new SimulatedBroker(() => CONTRACT_PARTITIONS);
    // A call takes some time, as to a real broker.
    const call = async <Result>(_: string, execute: () => Result) => {
      await sleep(1);
      return execute();
    };
    const bus = new SimulatedBus('process', broker, call, { pauseMs: 1 });
    return Promise.resolve({ bus, topic: numberedTopic('contract'), close: () => Promise.resolve() });
  });
});
