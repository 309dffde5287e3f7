import { describe, it } from 'vitest';
import { type TopicCommand, type TopicEvent, topicDecider } from '../../../domain/topic/topic.js';
import { specFor } from '../../support/spec.js';

const given = specFor(topicDecider);
const suppress = (reason?: string): TopicCommand => ({ type: 'SuppressTopic', data: { topic: 'kubernetes', reason } });
const unsuppress: TopicCommand = { type: 'UnsuppressTopic', data: { topic: 'kubernetes' } };
const suppressed = (reason?: string): TopicEvent => ({ type: 'TopicSuppressed', data: { topic: 'kubernetes', reason } });
const unsuppressed: TopicEvent = { type: 'TopicUnsuppressed', data: { topic: 'kubernetes' } };

describe('a topic nobody suppressed', () => {
  it('is suppressed', () => given().when(suppress('noise')).then(suppressed('noise')));
  it('is suppressed without a reason', () => given().when(suppress()).then(suppressed()));
  it('is not unsuppressed', () => given().when(unsuppress).then());
});

describe('a suppressed topic', () => {
  it('keeps its reason', () => given(suppressed('noise')).thenState({ suppressed: true, reason: 'noise' }));
  it('is not suppressed twice for one reason', () => given(suppressed('noise')).when(suppress('noise')).then());
  it('is suppressed again for another reason', () => given(suppressed('noise')).when(suppress('old')).then(suppressed('old')));
  it('loses its reason when none is given', () => given(suppressed('noise')).when(suppress()).then(suppressed()));
  it('is unsuppressed', () => given(suppressed('noise')).when(unsuppress).then(unsuppressed));
});

describe('a forgotten topic', () => {
  it('is not suppressed, and has no reason', () =>
    given(suppressed('noise'), { type: 'TopicForgotten', data: {} }).thenState({ suppressed: false, reason: undefined }));
});

describe('an unsuppressed topic', () => {
  it('has no reason any more', () => given(suppressed('noise'), unsuppressed).thenState({ suppressed: false, reason: undefined }));
  it('is suppressed again', () => given(suppressed('noise'), unsuppressed).when(suppress('noise')).then(suppressed('noise')));
  it('is not unsuppressed twice', () => given(suppressed(), unsuppressed).when(unsuppress).then());
});
