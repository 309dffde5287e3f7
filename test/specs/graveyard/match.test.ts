import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readName, readQuery, saysTooLittle, speaksOf } from '../../../domain/graveyard/match.js';
import type { AbandonedType } from '../../../domain/vocabulary.js';

const finds = (name: string, query: string, type: AbandonedType = 'library'): boolean => speaksOf(readQuery(query), readName(name, type));

type Case = readonly [name: string, query: string, type?: AbandonedType];

const forEach = (cases: readonly Case[], expected: boolean): void => {
  for (const [name, query, type] of cases) {
    it(`${JSON.stringify(name)} from ${JSON.stringify(query)}`, () => expect(finds(name, query, type)).toBe(expected));
  }
};

describe('a dead end is found', () => {
  forEach(
    [
      // Its words apart or joined, whatever the case.
      ['onnxruntime', 'use onnx runtime for embeddings?'],
      ['ONNX Runtime', 'is onnxruntime-node worth another look?'],
      ['onnxruntime', 'OnnxRuntime'],
      ['pg-boss', 'should we try pgboss'],
      ['pg-boss: "v9"', 'should we use pg-boss: "v9"'],
      ['pg-boss: "v9"', 'does pg-boss: "v9" fit the queue of the shop?'],
      ['pgboss', 'what about pg-boss for the queue?'],
      ['PG Boss', 'import { boss } from pg_boss'],
      ['Next.js', 'next.js app'],
      ['Next.js', 'start a nextjs app'],
      ['Next.js', 'port it to Next JS'],
      ['Redis Streams', 'RedisStreamsConsumer loses messages'],
      ['redis streams', 'a redis stream for each tenant'],
      ['webpack', 'move to web pack'],
      ['kubernetes', 'Deploy to Kubernetes.'],
      ['lodash', 'node_modules/lodash/merge.js is slow'],
      ['moment.js', 'import moment from "moment"'],
      ['React', 'is react.js fast enough'],
      ['C++', 'rewrite the parser in C++?'],
      ['C#', 'a C# client'],
      ['Nx', 'should we set up nx in the monorepo'],
      // What is described may take another ending.
      ['polling', 'should the client poll the server', 'approach'],
      ['long polling', 'is long-polling good enough here', 'approach'],
      ['event sourcing', 'event-sourced orders', 'pattern'],
      // A name may be dressed.
      ['use Kafka', 'should we adopt kafka for events', 'approach'],
      ['Kafka library', 'kafka for the audit pipeline'],
      ['Kafka for the audit pipeline', 'should billing use kafka for its audit pipeline?', 'approach'],
      ['Kafka audit pipeline', 'the kafka for our audit pipeline', 'approach'],
      // The question is about a part of it.
      ['Redis Streams consumer groups', 'redis streams', 'approach'],
      ['Redis Streams consumer groups', 'how do we use redis streams in our new app?', 'approach'],
      ['Redis Streams consumer groups', 'consumer groups of redis streams are a pain: redis streams consumer groups', 'approach'],
      ['Redis Streams consumer groups', 'redis', 'approach'],
      ['webpack 4', 'webpack'],
      // Common words where they are written as names.
      ['next', 'try `next` again'],
      ['next', 'next'],
      ['Go', 'rewrite the worker in Go'],
      ['make', 'replace "make" by something else', 'tool'],
      ['next', 'upgrade to next@15'],
      ['Chart.js', 'plot it with chart.js'],
      ['Spring', 'should the API run on Spring', 'library'],
      // A common word is a name after a word of using.
      ['React', 'use react for the UI'],
      ['Express', 'use express as web framework'],
      ['make', 'are we using make?', 'tool'],
      ['Notion', 'use notion for the notes', 'service'],
      ['Swift', 'the client is in Swift', 'tool'],
      ['Temporal', 'move the workflows to Temporal', 'service'],
      ['Temporal', 'temporal.io for the workflows', 'service'],
      // Other names of the same.
      ['Go', 'rewrite the worker in golang', 'tool'],
      ['golang', 'rewrite the worker in Go', 'tool'],
      ['C#', 'a csharp client', 'tool'],
      ['.NET', 'dotnet for the importer', 'tool'],
      ['dotnet', 'should the importer run on .NET 8', 'tool'],
      ['Kubernetes', 'put it on k8s', 'service'],
      ['k8s', 'a Kubernetes cluster', 'service'],
      ['SQLite', 'keep it in sqlite3'],
      ['sqlite3', 'a SQLite file'],
      ['PostgreSQL', 'move it to postgres', 'service'],
      ['Spring Boot', 'spring boot for the API'],
      ['Spring Boot', 'springboot'],
      // Accents, width, scripts without blanks.
      ['Café Engine', 'use the cafe engine'],
      ['naïve bayes', 'NAIVE BAYES for spam', 'approach'],
      ['Ｋａｆｋａ', 'kafka again?'],
      ['消息队列', '我们应该用消息队列吗', 'approach'],
      ['消息队列', '消息 队列', 'approach'],
      ['メッセージキュー', 'メッセージキューを使う', 'approach'],
      ['카프카', '카프카를 다시 쓰자', 'tool'],
      ['消息队列中间件', '队列', 'approach'],
      // By what its makers put behind its name left out.
      ['onnxruntime', 'onnx'],
      ['onnxruntime', 'could we run the model with onnx instead'],
      ['ONNX Runtime', 'onnx'],
      ['onnxruntime-node', 'is onnxruntime any better now'],
      ['MongoDB', 'should mongo hold the sessions', 'service'],
      ['RabbitMQ', 'what about rabbit for the queue', 'tool'],
      ['InfluxDB', 'Influx for the metrics', 'service'],
      // An inflected everyday word in a longer name, and where it is written as one.
      ['shared worker cache', 'shared worker cache for the tabs', 'approach'],
      ['shared workers', 'could shared workers hold the socket', 'approach'],
      ['shared', 'import { z } from `shared`'],
    ],
    true,
  );
});

describe('a dead end is not found', () => {
  forEach(
    [
      ['Next.js', 'what is next'],
      ['next', 'what is next'],
      ['next', 'the next step'],
      ['next', 'Next we deploy'],
      ['next', 'we are done. Next comes the release'],
      ['on', 'on'],
      ['on', 'what goes on here', 'approach'],
      ['on', 'turn it on'],
      ['the', 'the next step', 'approach'],
      ['use', 'use it', 'approach'],
      ['go', 'where do we go from here'],
      ['Go', 'Go to the next page'],
      ['make', 'make the tests run', 'tool'],
      ['new', 'is there anything new', 'approach'],
      ['Chart.js', 'add a chart to the dashboard'],
      ['Spring', 'we looked at this in spring'],
      ['SQL', 'PostgreSQL is fine'],
      ['js', 'a next.js app'],
      ['R', 'r we done'],
      ['2', 'version 2', 'approach'],
      ['Spring Boot', 'boot the server in spring'],
      ['Notion', 'the notion of time', 'service'],
      ['Swift', 'a swift answer', 'tool'],
      ['Temporal', 'temporal data types', 'service'],
      ['React', 'how do we react to an outage'],
      ['next', 'use next week for it'],
      ['use', 'we use it'],
      ['.NET', 'the net result', 'tool'],
      ['Go', 'go on', 'tool'],
      ['SQL', 'sqlite3'],
      // Parts of words.
      ['go', 'google'],
      ['rust', 'trust the process'],
      ['java', 'javascript'],
      ['inline', 'this is in line with the plan', 'approach'],
      ['setup.py', 'set up pytest'],
      // Another word, though with the same stem.
      ['Nest', 'nesting of divs'],
      ['Jest', 'jesting'],
      // Another sentence, another member of a list.
      ['Redis Streams', 'We dropped redis. Streams are fine.'],
      ['Redis Streams', 'redis, streams, kafka'],
      ['pg boss', 'we use pg. The boss agrees'],
      ['pg boss', 'we use pg. The boss said so'],
      // About something else.
      ['Redis Streams consumer groups', 'groups', 'approach'],
      ['Redis Streams consumer groups', 'the consumer', 'approach'],
      ['Postgres full text search', 'how do I connect to postgres with an iam token', 'approach'],
      ['webpack 4', 'should we use webpack 5'],
      ['Kafka', 'should we use RabbitMQ'],
      ['消', '消息队列', 'approach'],
      ['消息队列', '消费队列', 'approach'],
      // An everyday word with an ending is as common as without.
      ['shared Redis instance', 'shared', 'approach'],
      ['shared worker cache', 'shared', 'approach'],
      ['shared memory', 'who shared the document', 'approach'],
      ['running tests in bands', 'running', 'approach'],
      ['linked lists', 'linked', 'pattern'],
      // The rest of a name that is no name.
      ['LevelDB', 'what level of detail', 'library'],
      ['TimeDB', 'what time is it', 'service'],
      ['onnxruntime', 'the runtime is slow'],
      ['onnxruntime', 'onnxconverter'],
      ['onnx runtime as a service', 'onnxconverter', 'approach'],
    ],
    false,
  );

  it.each(['', '   ', '?!', '---', '\u200b', 'on', 'what is the'])('by the question %j', (query) => {
    for (const name of ['redis', 'Redis Streams', 'next', 'on', 'the', '', '?', '消息'])
      expect([name, query, finds(name, query), finds(name, query, 'approach')]).toEqual([name, query, false, false]);
  });
});

describe('a name that says too little', () => {
  it.each(['on', 'next', 'the next', 'use', 'make', 'new approach', 'a', '7', '', '...', '用'])('is %j', (name) =>
    expect(saysTooLittle(name)).toBe(true),
  );
  it.each(['kafka', 'Next.js', 'long polling', 'C++', 'pg-boss', '消息队列'])('is not %j', (name) =>
    expect(saysTooLittle(name)).toBe(false),
  );
});

describe('any text', () => {
  it('may come in, and a name of three odd letters is found in every sentence that has it between blanks', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.constantFrom('library', 'approach'),
        (name, query, type) => {
          expect(typeof finds(name, query, type as AbandonedType)).toBe('boolean');
        },
      ),
    );
    fc.assert(
      fc.property(fc.lorem(), fc.lorem(), (before, after) => {
        expect(finds('qxz', `${before} qxz ${after}`)).toBe(true);
        expect(finds('qxz', `${before} ${after}`)).toBe(false);
      }),
    );
  });
});
