/** The `data` of each event in a stream of server-sent events, as it arrives. */
export async function* eventData(body) {
    let buffered = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
        const events = (buffered + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
        buffered = events.pop() ?? '';
        for (const event of events) {
            const data = event
                .split(/\r?\n/)
                .filter((line) => line.startsWith('data:'))
                .map((line) => line.slice(5).trimStart());
            if (data.length > 0)
                yield data.join('\n');
        }
    }
}
//# sourceMappingURL=events.js.map