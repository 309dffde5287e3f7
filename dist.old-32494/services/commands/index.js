import { forget } from './forget.js';
import { archive, deprioritise, reinstate } from './lifecycle.js';
import { remember } from './remember.js';
import { rememberDocument } from './remember-document.js';
import { retag } from './retag.js';
import { revise } from './revise.js';
import { setLicence, setProvenance } from './stamping.js';
import { suppressTopic, unsuppressTopic } from './topics.js';
/** The write side over its parts. */
export const createCommands = (parts) => {
    const over = (command) => (input, call) => command(parts, input, call);
    return {
        remember: over(remember),
        rememberDocument: over(rememberDocument),
        revise: over(revise),
        retag: over(retag),
        deprioritise: over(deprioritise),
        archive: over(archive),
        reinstate: over(reinstate),
        forget: over(forget),
        suppressTopic: over(suppressTopic),
        unsuppressTopic: over(unsuppressTopic),
        setLicence: over(setLicence),
        setProvenance: over(setProvenance),
    };
};
//# sourceMappingURL=index.js.map