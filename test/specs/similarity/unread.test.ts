import { describe, expect, it } from 'vitest';
import { classifyNeighbour, meansLikeness } from '../../../domain/similarity.js';

/** As all-MiniLM-L6-v2 measures texts of which it knows no token. */
const SAME = 1;
const mail = 'send an email to the customer when a product is shipped';
const relation = (old: string, fresh: string, cosine = SAME) => classifyNeighbour(fresh, old, cosine).relation;

describe('texts that the model cannot read', () => {
  it.each([
    ['เซิร์ฟเวอร์สำรองข้อมูลทุกคืน', 'ทีมงานประชุมทุกวันจันทร์ตอนเช้า'],
    ['サーバーは毎晩再起動されます', '会議室の予約は総務に頼みます'],
    ['缓存服务器的密码每周更换', '移动端推送由第三方负责'],
    ['서버는 매주 재시작한다', '고양이는 생선을 좋아한다'],
    ['База данных копируется ночью', 'Команда встречается утром'],
    ['🍎🍎🍎 🍎', '🍌🍌🍌 🍌'],
  ])('%j and %j are unrelated, however near their vectors are', (old, fresh) => {
    expect(relation(old, fresh)).toBe('none');
    expect(meansLikeness(old, fresh)).toBe(false);
  });

  it('and share an example are two all the same', () => {
    const section = (title: string) => `### ${title}\n\`\`\`\nfeat!: ${mail}\n\`\`\``;
    expect(
      relation(section('破壊的変更を目立たせるために持つコミットメッセージ'), section('包含了字符以提醒注意破坏性变更的提交说明')),
    ).not.toBe('duplicate');
  });

  it('are duplicates when they are equal but for filler, and changed when a value differs', () => {
    expect(relation('备份每天凌晨两点运行。', '备份每天凌晨两点运行')).toBe('duplicate');
    expect(relation('备份每天凌晨两点运行', '备份每天凌晨三点运行')).toBe('changed');
    expect(meansLikeness('备份每天凌晨两点运行', '备份每天凌晨三点运行')).toBe(true);
  });

  it('and name the same thing are two, unless they say the same of it', () => {
    expect(relation('แมวชอบนอนบน Postgres 16', 'ทีมงานประชุมเรื่อง Postgres 16')).toBe('none');
    expect(relation('ทีมงานประชุมเรื่อง Postgres 16', 'ทีมงานประชุมเรื่อง Postgres 17')).toBe('changed');
  });

  it('and are of the same letters in other words are unrelated', () =>
    expect(relation('不动产登记部门负责人是王明', '王部门动是不产明登人记责负')).toBe('none'));
});

describe('texts that it reads', () => {
  it('and near vectors are alike', () => {
    expect(relation('The monolith keeps sessions inside Redis', 'The big monolith stores session data inside Redis')).toBe('duplicate');
    expect(meansLikeness('The monolith keeps sessions', 'Session data stays in the big service')).toBe(true);
  });

  it.each([
    [`A commit with a sign:\n\`feat!: ${mail}\``, `A commit with scope and a sign:\n\`feat(api)!: ${mail}\``],
    [`Example: feat: ${mail}`, `Example: feat!: ${mail}`],
    ['Call the method open(file) of the store first', 'Call the method open(stream) of the store first'],
  ])('%j and %j differ in an identifier or a sign', (old, fresh) => expect(relation(old, fresh)).toBe('changed'));

  it('an ending in brackets and the end of a sentence are neither', () => {
    expect(relation('Restart the big server(s) of the payment cluster soon', 'Restart the server of the payment cluster soon')).toBe(
      'duplicate',
    );
    expect(relation('Restart the server soon!', 'Restart the server soon')).toBe('duplicate');
  });
});
