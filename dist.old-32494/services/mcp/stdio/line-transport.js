import { StringDecoder } from 'node:string_decoder';
import { isJSONRPCErrorResponse, isJSONRPCRequest, isJSONRPCResultResponse, parseJSONRPCMessage, } from '@modelcontextprotocol/server';
import { RPC } from '../http/answers.js';
/**
 * One JSON-RPC message a line. The library's own transport drops a malformed line in silence and aborts running calls when the
 * input ends; this one answers −32700 with id null and goes on, and lets the calls finish.
 */
export const createLineTransport = ({ input, output, drainMs, maxLineBytes }) => {
    const decoder = new StringDecoder('utf8');
    const unanswered = new Set();
    let buffered = '';
    let inputEnded = false;
    let closed = false;
    let finish = () => { };
    const ended = new Promise((resolve) => {
        finish = resolve;
    });
    const write = (message) => new Promise((resolve, reject) => {
        output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
    const refuse = (error) => {
        write({ jsonrpc: '2.0', id: null, error }).catch(() => { });
    };
    const take = (line) => {
        if (line.trim() === '')
            return;
        const message = parse(line);
        if ('fault' in message) {
            refuse(message.fault);
            return;
        }
        if (isJSONRPCRequest(message))
            unanswered.add(message.id);
        else
            settleCancelled(message, unanswered);
        transport.onmessage?.(message);
        closeWhenDone();
    };
    const onData = (chunk) => {
        const lines = (buffered + decoder.write(chunk)).split('\n');
        buffered = lines.pop() ?? '';
        for (const line of lines)
            take(line);
        if (buffered.length <= maxLineBytes)
            return;
        buffered = '';
        refuse({ code: RPC.parse, message: `A message is longer than ${maxLineBytes} bytes` });
    };
    const onEnd = () => {
        if (inputEnded)
            return;
        inputEnded = true;
        take(buffered + decoder.end());
        buffered = '';
        setTimeout(close, drainMs).unref();
        closeWhenDone();
    };
    const closeWhenDone = () => {
        if (inputEnded && unanswered.size === 0)
            close();
    };
    const close = () => {
        if (closed)
            return;
        closed = true;
        input.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
        transport.onclose?.();
        finish();
    };
    const transport = {
        ended,
        start: async () => {
            output.on('error', close); // the host is gone
            input.on('data', onData).on('end', onEnd).on('close', onEnd);
        },
        send: async (message) => {
            if (closed)
                return;
            await write(message);
            if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
                if (message.id !== undefined)
                    unanswered.delete(message.id);
                closeWhenDone();
            }
        },
        close: async () => close(),
    };
    return transport;
};
const parse = (line) => {
    let value;
    try {
        value = JSON.parse(line);
    }
    catch {
        return { fault: { code: RPC.parse, message: 'Parse error: each line must be one JSON-RPC message' } };
    }
    try {
        return parseJSONRPCMessage(value);
    }
    catch {
        return { fault: { code: RPC.invalidRequest, message: 'Not a JSON-RPC message' } };
    }
};
/** A cancelled request gets no answer. */
const settleCancelled = (message, unanswered) => {
    if (!('method' in message) || message.method !== 'notifications/cancelled')
        return;
    const requestId = message.params?.requestId;
    if (typeof requestId === 'string' || typeof requestId === 'number')
        unanswered.delete(requestId);
};
//# sourceMappingURL=line-transport.js.map