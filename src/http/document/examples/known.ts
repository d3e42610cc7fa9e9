/** What the examples have in common. */
export const tenantId = "ten_01m817hww1q09m40a5mj0x2bs9";
export const keyId = "key_01m817hww1q09m40a5mj0x2bsa";
export const at = "2026-11-22T09:30:00.000Z";
