import { NoAnswerError } from '../errors.js';
import type { Sender } from '../http/sender.js';
import { followSignals } from '../http/until-aborted.js';

/** The switch that `network` of the configuration and `client.setNetwork` set. */
export interface Network {
  readonly isOn: boolean;
  switchTo(network: 'on' | 'off'): void;
  /**
   * Sends a request. Fails with `network`, and sends nothing, while the network is off; what is under way when it is
   * switched off fails too, and nothing of it is sent again.
   */
  readonly send: Sender;
}

export function createNetwork(initial: 'on' | 'off' | undefined, sender: Sender): Network {
  /** Aborts what is under way; null while the network is off. */
  let power = initial === 'off' ? null : new AbortController();
  return {
    get isOn() {
      return power !== null;
    },
    switchTo: (network) => {
      if (network === 'off') power?.abort();
      if (network === 'off') power = null;
      else power ??= new AbortController();
    },
    send: async (call) => {
      if (power === null) throw switchedOff();
      const { signal } = power;
      const own = followSignals(signal, call.signal);
      try {
        return await sender({ ...call, signal: own.signal });
      } catch (error) {
        throw signal.aborted && call.signal?.aborted !== true ? switchedOff() : error;
      } finally {
        own.stop();
      }
    },
  };
}

function switchedOff(): NoAnswerError {
  return new NoAnswerError('network', 'The network is switched off.');
}
