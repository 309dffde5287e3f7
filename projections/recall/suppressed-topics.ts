import type { DomainEvent } from '../../domain/catalogue.js';
import { compileTopics, type TopicMatcher } from '../../domain/suppression.js';

/** Topics that are not to come up, with the reasons given. */
export type Suppressed = { readonly topics: ReadonlyMap<string, string | undefined>; readonly matches: TopicMatcher };

/** Follows the topics that the log suppresses, with a matcher that is made anew when they change. */
export class SuppressedTopics implements Suppressed {
  #topics: Map<string, string | undefined>;
  #matcher: TopicMatcher | undefined;

  constructor(topics: Iterable<readonly [topic: string, reason: string | undefined]> = []) {
    this.#topics = new Map(topics);
  }

  get topics(): ReadonlyMap<string, string | undefined> {
    return this.#topics;
  }

  get matches(): TopicMatcher {
    this.#matcher ??= compileTopics([...this.#topics.keys()]);
    return this.#matcher;
  }

  apply(event: DomainEvent): void {
    if (event.type === 'TopicSuppressed') this.#topics.set(event.data.topic, event.data.reason);
    else if (event.type === 'TopicUnsuppressed') this.#topics.delete(event.data.topic);
    else return;
    this.#matcher = undefined;
  }
}
