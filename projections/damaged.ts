/** The object that a field holds as JSON, or undefined where it was damaged: that costs the field, and not what stands beside it. `verify` names the row. */
export const objectIn = <T extends object>(json: string | undefined): T | undefined => {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
};
