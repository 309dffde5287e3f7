import type { Transport } from './anthropic.js';
import { createModel, type ModelSettings, type OnModelCall } from './model.js';
import type { Model } from './port.js';

export type LlmSettings = ModelSettings & {
  /** Undefined: there is no model, and every feature has its fallback. */
  readonly apiKey: string | undefined;
  /** Undefined: the service itself. */
  readonly baseURL: string | undefined;
};

/** The language model of the settings, or undefined without a key. The SDK is read with the first call: it is large. */
export const openModel = ({ apiKey, baseURL, ...settings }: LlmSettings, onCall: OnModelCall): Model | undefined => {
  if (apiKey === undefined) return undefined;
  let loading: Promise<Transport> | undefined;
  const transport: Transport = async (message, signal) => {
    loading ??= import('./anthropic.js').then(({ anthropicTransport }) => anthropicTransport({ apiKey, baseURL }));
    return (await loading)(message, signal);
  };
  return createModel(settings, transport, onCall);
};
