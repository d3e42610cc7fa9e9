/** Which messages of a thread are measured: as many flushes fall into one window as into the other. */
export const early = 31;
export const late = 4_975;
export const measured = 50;
