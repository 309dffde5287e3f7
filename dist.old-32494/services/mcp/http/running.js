export const createRunning = () => {
    let size = 0;
    let waiting = [];
    return {
        track: async (work) => {
            size++;
            try {
                return await work;
            }
            finally {
                size--;
                if (size === 0) {
                    for (const wake of waiting)
                        wake();
                    waiting = [];
                }
            }
        },
        size: () => size,
        idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
    };
};
//# sourceMappingURL=running.js.map