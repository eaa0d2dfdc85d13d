import { NoAnswerError } from '../errors.js';
import type { Sender } from '../http/sender.js';

/** The switch that `network` of the configuration and `client.setNetwork` set. */
export interface Network {
  readonly isOn: boolean;
  switchTo(network: 'on' | 'off'): void;
  /** Sends a request. Fails with `network`, and sends nothing, while the network is off. */
  readonly send: Sender;
}

export function createNetwork(initial: 'on' | 'off' | undefined, sender: Sender): Network {
  let isOn = initial !== 'off';
  return {
    get isOn() {
      return isOn;
    },
    switchTo: (network) => {
      isOn = network === 'on';
    },
    send: async (call) => {
      if (!isOn) throw new NoAnswerError('network', 'The network is switched off.');
      return sender(call);
    },
  };
}
