#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int f0(int x){return x+1;} static int f1(int x){return x*3;} static int f2(int x){return x-7;} static int f3(int x){return x^9;}
static int (*const table[4])(int)={f0,f1,f2,f3};
int sw(int k,int y){switch(k){case 0:return y*2;case 1:return y+7;case 2:puts("two");return 1;case 3:return y%3;case 4:return y/5;case 5:printf("%d",y);break;case 7:return 9;case 8:return y<<3;} return -1;}
int cg(const unsigned char*p){static void*const l[]={&&a,&&b,&&c,&&d};int s=0;
 goto *l[*p&3]; a: s+=3; goto *l[*++p&3]; b: s*=2; goto *l[*++p&3]; c: s-=1; goto *l[*++p&3]; d: return s;}
int main(int c,char**v){int s=0;for(int i=1;i<c;i++){s+=sw(atoi(v[i]),i);s+=table[i&3](s);s+=cg((unsigned char*)v[i]);}printf("%d\n",s);return s;}
