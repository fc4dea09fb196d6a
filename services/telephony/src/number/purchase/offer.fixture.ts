/** A number as the carrier offers it. */
export const offer = {
  phoneNumber: '+14155550123',
  country: 'US',
  type: 'local',
  smsCapable: true,
  voiceCapable: true,
  addressRequirements: 'none',
} as const;
