# Access lists. On Windows those of the folder itself; elsewhere its mode stands for them.

function Get-Acl {
    [CmdletBinding()]
    param([string]$LiteralPath)
    # The owner that the test sets.
    $foreign = $env:KUBECTL_WIN_FOREIGN -and $LiteralPath -eq $env:KUBECTL_WIN_FOREIGN
    if (-not $foreign -and $PSVersionTable.Platform -ne 'Unix') { return Microsoft.PowerShell.Security\Get-Acl @PSBoundParameters }
    $owner = if ($foreign) { 'S-1-5-21-1004336348-1177238915-682003330-1104' } else { 'BA' }
    $item = Get-Item -LiteralPath $LiteralPath -Force
    $closed = $PSVersionTable.Platform -eq 'Unix' -and ([int]$item.UnixFileMode -band 63) -eq 0
    $access = if ($closed) { 'PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)' } else { 'AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;CIID;DCLCRPCR;;;BU)' }
    [pscustomobject]@{ Path = $LiteralPath; Sddl = "O:${owner}G:SYD:$access" }
}
