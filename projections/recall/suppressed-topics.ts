import type { DomainEvent } from '../../domain/catalogue.js';
import type { Recorded } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { compileTopics, type TopicMatcher, topicForm } from '../../domain/suppression.js';
import { isTopicSubject } from '../../domain/topic/topic.js';

/** Topics that are not to come up, with the reasons given. */
export type Suppressed = {
  readonly topics: ReadonlyMap<string, string | undefined>;
  readonly matches: TopicMatcher;
  /** Who keeps a topic out: memories whose dead end it is, and the topic itself where it was suppressed by hand. */
  readonly holdersOf: (topic: string) => readonly string[];
  /** Topics that keep out what this one does, however they are written. */
  readonly spellingsOf: (topic: string) => readonly string[];
  /** Topics that one of these keeps out. */
  readonly heldBy: (subject: string) => readonly string[];
};

/** A topic, the reason, and who keeps it out. */
export type HeldTopic = readonly [topic: string, reason: string | undefined, holder: string];

/** Follows the topics that the log suppresses, with a matcher that is made anew when they change. */
export class SuppressedTopics implements Suppressed {
  readonly #reasons = new Map<string, Map<string, string | undefined>>();
  #topics: ReadonlyMap<string, string | undefined> | undefined;
  #matcher: TopicMatcher | undefined;

  constructor(held: Iterable<HeldTopic> = []) {
    for (const [topic, reason, holder] of held) this.#reasonsOf(topic).set(holder, reason);
  }

  /** A reason that a person gave goes before that of a memory. */
  get topics(): ReadonlyMap<string, string | undefined> {
    this.#topics ??= new Map(
      [...this.#reasons].map(([topic, reasons]) => {
        const holder = [...reasons.keys()].sort().find(isTopicSubject) ?? [...reasons.keys()].sort()[0] ?? '';
        return [topic, reasons.get(holder)];
      }),
    );
    return this.#topics;
  }

  get matches(): TopicMatcher {
    this.#matcher ??= compileTopics([...this.#reasons.keys()]);
    return this.#matcher;
  }

  get held(): readonly HeldTopic[] {
    return [...this.#reasons].flatMap(([topic, reasons]) => [...reasons].map(([holder, reason]): HeldTopic => [topic, reason, holder]));
  }

  holdersOf(topic: string): readonly string[] {
    return [...(this.#reasons.get(topic)?.keys() ?? [])];
  }

  spellingsOf(topic: string): readonly string[] {
    const form = topicForm(topic);
    return [...this.#reasons.keys()].filter((other) => topicForm(other) === form);
  }

  heldBy(subject: string): readonly string[] {
    return [...this.#reasons].flatMap(([topic, reasons]) => (reasons.has(subject) ? [topic] : []));
  }

  apply(event: Recorded<DomainEvent>): void {
    const { subject } = event.envelope;
    if (event.type === 'TopicSuppressed') this.#reasonsOf(event.data.topic).set(subject, event.data.reason);
    else if (event.type === 'TopicUnsuppressed') this.#release(event.data.topic, subject);
    else if (erases(event.type)) for (const topic of this.heldBy(subject)) this.#release(topic, subject);
    else return;
    this.#topics = undefined;
    this.#matcher = undefined;
  }

  #reasonsOf(topic: string): Map<string, string | undefined> {
    const reasons = this.#reasons.get(topic) ?? new Map<string, string | undefined>();
    this.#reasons.set(topic, reasons);
    return reasons;
  }

  #release(topic: string, holder: string): void {
    const reasons = this.#reasons.get(topic);
    reasons?.delete(holder);
    if (reasons?.size === 0) this.#reasons.delete(topic);
  }
}
