"""The columns of the views that `gelu sweep` and `gelu check --dtype` share."""

VIEWS = {
    "summary": "routine,dtype,target,quantity,inputs,exhaustive,max_ulp,max_ulp_x,max_ulp_x_bits,"
    "max_ordinal,max_ordinal_x,mean_ulp,over_half_ulp,over_1_ulp,misrounded,wrong_nan,wrong_inf,"
    "wrong_sign,wrong_zero,non_monotone,max_ulp_jax,"
    "max_abs_error,max_abs_x,max_rel_error,rms_error,noise_ratio",
    "regions": "routine,low,high,inputs,max_ulp,max_ulp_x,mean_ulp,over_1_ulp",
    "histogram": "routine,low,high,count",
    "worst": "routine,x,x_bits,got,got_bits,want,want_bits,exact,ulp,ordinal",
}
